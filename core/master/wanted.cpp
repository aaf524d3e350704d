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

// What is news to an agent; all else of an allocation that it is told stays as it is.
std::vector<std::pair<AllocationId, Order>> orders_of(const Book& book, const AgentId& agent) {
  std::vector<std::pair<AllocationId, Order>> orders;
  const auto shares = book.shares.find(agent);
  if (shares == book.shares.end()) return orders;
  for (const AllocationId id : shares->second) {
    const AllocationRow& row = book.allocations.at(id).row;
    const bool wanted = std::any_of(row.nodes.begin(), row.nodes.end(), [&](const auto& node) {
      return node.agent == agent && !node.released;
    });
    if (wanted) orders.emplace_back(id, row.order);
  }
  return orders;
}

void answer(Step& step, const AgentMemory& agent) {
  step.effects.actions.push_back(
      SendAnswer{.agent = agent.row.id,
                 .link = agent.link,
                 .answer = {.heartbeat = agent.answer_to.value_or(0),
                            .cluster_id = step.book.cluster.cluster_id,
                            .cluster_epoch = step.book.cluster.cluster_epoch,
                            .session = agent.row.session,
                            .lease = step.book.options.agent_lease,
                            .wanted = wanted_of(step.book, agent.row.id, step.now)}});
}

}  // namespace

std::vector<Wanted> wanted_of(const Book& book, const AgentId& agent, Time now) {
  std::vector<Wanted> all;
  const auto shares = book.shares.find(agent);
  if (shares == book.shares.end()) return all;
  for (const AllocationId id : shares->second) {
    const AllocationRow& row = book.allocations.at(id).row;
    for (const AllocationNode& node : row.nodes) {
      if (node.agent == agent && !node.released) all.push_back(wanted_of(book, row, node, now));
    }
  }
  return all;
}

void answer_agents(Step& step) {
  for (const AgentId& id : std::exchange(step.book.agents_to_answer, {})) {
    AgentMemory* agent = step.book.find(id);
    if (agent == nullptr || agent->link == 0) continue;
    auto orders = orders_of(step.book, id);
    if (agent->answer_to || agent->told != orders) answer(step, *agent);
    agent->told = std::move(orders);
    agent->answer_to.reset();
  }
}

}  // namespace dt::core
