#include "core/master/wanted.h"

#include <algorithm>
#include <utility>

#include "core/experiment/attempt_end.h"

namespace dt::core {
namespace {

std::optional<CheckpointSource> source_of(const Book& book, const AllocationRow& allocation) {
  if (!allocation.resumed_from) return std::nullopt;
  const auto found = book.checkpoints.find(allocation.resumed_from);
  VERIFY(found != book.checkpoints.end(), "allocation ", allocation.id, " resumes from ",
         allocation.resumed_from, ", which is not known");
  return CheckpointSource{
      .id = found->first, .step = found->second.step, .files = found->second.files};
}

Assignment assignment_of(const Book& book, const AllocationRow& allocation,
                         const AllocationNode& node) {
  const TrialRow& trial = book.trials.at(allocation.trial).row;
  const ExperimentRow& experiment = book.experiments.at(allocation.experiment).row;
  return {.experiment = experiment.id,
          .trial = trial.id,
          .attempt = allocation.attempt,
          .restarts = trial.restarts,
          .trial_seed = trial.seed,
          .hparams = trial.hparams,
          .config = experiment.config,
          .context = experiment.context,
          .checkpoint = source_of(book, allocation),
          .node_rank = node.node_rank,
          .nodes = static_cast<int>(allocation.nodes.size()),
          .first_rank = node.first_rank,
          .size = allocation.size,
          .slot_ids = node.slot_ids};
}

std::string address_of(const Book& book, const AllocationNode& node) {
  if (!node.address.empty()) return node.address;
  const auto agent = book.agents.find(node.agent);
  return agent == book.agents.end() ? "" : agent->second.row.address;
}

RankTable table_of(const Book& book, const AllocationRow& allocation) {
  const AllocationNode& first = allocation.nodes.front();
  RankTable table{.master_address = address_of(book, first), .master_port = first.port};
  for (const AllocationNode& node : allocation.nodes) {
    for (int local = 0; local < rank_count(node); ++local) {
      table.ranks.push_back({.rank = node.first_rank + local,
                             .node_rank = node.node_rank,
                             .local_rank = local,
                             .address = address_of(book, node)});
    }
  }
  return table;
}

Wanted wanted_of(const Book& book, const AllocationRow& allocation, const AllocationNode& node,
                 Time now) {
  Wanted wanted{.allocation = allocation.id, .order = allocation.order};
  if (wanted.order == Order::prepare) wanted.assignment = assignment_of(book, allocation, node);
  if (wanted.order == Order::start) wanted.table = table_of(book, allocation);
  if (wanted.order == Order::preempt) {
    wanted.preempt_left = std::max(from_ms(allocation.preempt_deadline_ms) - now, Duration(0));
  }
  return wanted;
}

// The same orders: time left of a deadline is no news.
bool says_the_same(const std::vector<Wanted>& a, std::vector<Wanted> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) b[i].preempt_left = a[i].preempt_left;
  return a == b;
}

void answer(Step& step, AgentMemory& agent, std::vector<Wanted> wanted) {
  agent.told = wanted;
  step.effects.actions.push_back(
      SendAnswer{.agent = agent.row.id,
                 .link = agent.link,
                 .answer = {.heartbeat = agent.answer_to.value_or(0),
                            .cluster_id = step.book.cluster.cluster_id,
                            .cluster_epoch = step.book.cluster.cluster_epoch,
                            .session = agent.row.session,
                            .lease = step.book.options.agent_lease,
                            .wanted = std::move(wanted)}});
}

}  // namespace

std::vector<Wanted> wanted_of(const Book& book, const AgentId& agent, Time now) {
  std::vector<Wanted> all;
  for (const auto& [id, memory] : book.allocations) {
    for (const AllocationNode& node : memory.row.nodes) {
      if (node.agent == agent && !node.released) {
        all.push_back(wanted_of(book, memory.row, node, now));
      }
    }
  }
  return all;
}

void answer_agents(Step& step) {
  for (const AgentId& id : std::exchange(step.book.agents_to_answer, {})) {
    AgentMemory* agent = step.book.find(id);
    if (agent == nullptr || agent->link == 0) continue;
    std::vector<Wanted> wanted = wanted_of(step.book, id, step.now);
    if (agent->answer_to || !says_the_same(agent->told, wanted)) {
      answer(step, *agent, std::move(wanted));
    }
    agent->answer_to.reset();
  }
}

}  // namespace dt::core
