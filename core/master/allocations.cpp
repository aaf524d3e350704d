#include "core/master/allocations.h"

#include <algorithm>
#include <utility>

#include "core/experiment/attempt_end.h"
#include "core/master/checkpoints.h"
#include "core/master/pool.h"

namespace dt::core {
namespace {

AllocationNode* find_node(AllocationRow& row, const AgentId& agent) {
  for (AllocationNode& node : row.nodes) {
    if (node.agent == agent) return &node;
  }
  return nullptr;
}

AllocationNode* find_node_of_rank(AllocationRow& row, int rank) {
  for (AllocationNode& node : row.nodes) {
    if (rank >= node.first_rank && rank < node.first_rank + rank_count(node)) return &node;
  }
  return nullptr;
}

void set_state(Step& step, AllocationId id, AllocationState state) {
  step.book.edit(id).state = state;
  step.book.find(id)->since = step.now;
}

void release(Step& step, const AllocationRow& row, AllocationNode& node) {
  node.released = true;
  step.book.must_schedule(row.experiment);
}

void merge_exit(AllocationNode& node, const RankExit& exit) {
  const bool ours = exit.rank >= node.first_rank && exit.rank < node.first_rank + rank_count(node);
  if (ours && find_exit(node, exit.rank) == nullptr) node.exits.push_back(exit);
}

bool is_over(AllocationPhase phase) {
  return phase == AllocationPhase::ended || phase == AllocationPhase::lost;
}

bool ran(const AllocationNode& node) {
  return node.phase == AllocationPhase::running || !node.exits.empty();
}

bool is_ready(const AllocationNode& node) {
  return !node.released && node.phase >= AllocationPhase::ready;
}

bool is_released(const AllocationNode& node) { return node.released; }

bool has_preempted(const AllocationRow& row) {
  for (const AllocationNode& node : row.nodes) {
    for (const RankExit& exit : node.exits) {
      if (end_of_rank(exit) == RankEnd::preempted) return true;
    }
  }
  return false;
}

// Trouble in one place ends all others; a rank that was preempted without our word (its lease was
// running out) takes the others with it.
void keep_gang_whole(Step& step, const AllocationRow& row) {
  if (row.order == Order::kill) return;
  const std::string trouble = trouble_of(row);
  if (!trouble.empty()) {
    if (row.outcome.empty()) step.book.edit(row.id).outcome = trouble;
    const bool all_over = std::all_of(row.nodes.begin(), row.nodes.end(), is_released);
    if (!all_over) give_order(step, row.id, Order::kill);
  } else if (row.order < Order::preempt && has_preempted(row)) {
    withdraw(step, row.id);
  }
}

void start_if_ready(Step& step, const AllocationRow& row) {
  if (row.order != Order::prepare) return;
  if (!std::all_of(row.nodes.begin(), row.nodes.end(), is_ready)) return;
  step.book.edit(row.id).order = Order::start;
  set_state(step, row.id, AllocationState::starting);
}

void note_if_running(Step& step, const AllocationRow& row) {
  if (row.state != AllocationState::starting) return;
  if (!std::all_of(row.nodes.begin(), row.nodes.end(), ran)) return;
  AllocationRow& edited = step.book.edit(row.id);
  edited.started_ms = std::max<std::int64_t>(to_ms(step.now), 1);
  if (edited.order == Order::start) edited.order = Order::run;
  set_state(step, row.id, AllocationState::running);
  TrialMemory& trial = step.book.at(row.trial);
  trial.launch_failures = trial.withdrawals = 0;
}

void end_if_uploaded(Step& step, const AllocationRow& row) {
  abandon_hopeless_checkpoints(step, row.id);
  if (has_pending_checkpoint(step.book, row.id)) return;
  step.book.edit(row.id).ended_ms = to_ms(step.now);
  set_state(step, row.id, AllocationState::ended);
  step.book.at(row.trial).live = {};
  step.book.must_schedule(row.experiment);
}

void advance(Step& step, AllocationId id) {
  const AllocationMemory* memory = step.book.find(id);
  if (memory == nullptr || memory->row.state == AllocationState::ended) return;
  const AllocationRow& row = memory->row;
  if (row.state != AllocationState::settling) {
    keep_gang_whole(step, row);
    start_if_ready(step, row);
    note_if_running(step, row);
    if (is_settled(row)) settle_attempt(step, id);
  }
  if (row.state == AllocationState::settling) end_if_uploaded(step, row);
}

AllocationNode make_node(const Book& book, const Placement& placement, int node_rank,
                         int first_rank) {
  std::vector<std::string> slots = free_slots(book, placement.agent);
  VERIFY(placement.slots <= static_cast<int>(slots.size()), "agent ", placement.agent, " has ",
         slots.size(), " free slots, not ", placement.slots);
  slots.resize(static_cast<std::size_t>(placement.slots));
  return {.agent = placement.agent,
          .node_rank = node_rank,
          .first_rank = first_rank,
          .slot_ids = std::move(slots)};
}

}  // namespace

std::string called(const Book& book, const AgentId& agent) {
  const auto found = book.agents.find(agent);
  if (found == book.agents.end() || found->second.row.name.empty()) return agent.value;
  return found->second.row.name;
}

void begin_attempt(Step& step, TrialId id, const std::vector<Placement>& placements) {
  TrialMemory& trial = step.book.at(id);
  VERIFY(!trial.live, "trial ", id, " has allocation ", trial.live);
  TrialRow& row = step.book.edit(id);
  AllocationRow allocation{
      .id = {step.book.cluster.cluster_epoch, ++step.book.cluster.last_allocation},
      .trial = id,
      .experiment = row.experiment,
      .attempt = ++row.attempts,
      .size = 0,
      .resumed_from = row.latest_checkpoint,
      .created_ms = to_ms(step.now)};
  for (const Placement& placement : placements) {
    const int node_rank = static_cast<int>(allocation.nodes.size());
    allocation.nodes.push_back(make_node(step.book, placement, node_rank, allocation.size));
    allocation.size += rank_count(allocation.nodes.back());
  }
  trial.live = allocation.id;
  trial.waiting.clear();
  step.book.add(
      AllocationMemory{.row = std::move(allocation), .since = step.now, .upload_moved = step.now});
}

std::vector<const AllocationNode*> nodes_on(const Book& book, const AgentId& agent) {
  std::vector<const AllocationNode*> nodes;
  const auto shares = book.shares.find(agent);
  if (shares == book.shares.end()) return nodes;
  for (const AllocationId id : shares->second) {
    for (const AllocationNode& node : book.allocations.at(id).row.nodes) {
      if (node.agent == agent) nodes.push_back(&node);
    }
  }
  return nodes;
}

bool is_attempt_open(const Book& book, AllocationId id) {
  const auto found = book.allocations.find(id);
  return found != book.allocations.end() && found->second.row.state < AllocationState::settling;
}

void give_order(Step& step, AllocationId id, Order order) {
  if (!is_attempt_open(step.book, id)) return;
  if (step.book.find(id)->row.order >= order) return;
  AllocationRow& row = step.book.edit(id);
  row.order = order;
  step.book.must_schedule(row.experiment);
}

void withdraw(Step& step, AllocationId id) {
  if (!is_attempt_open(step.book, id)) return;
  const AllocationRow& row = step.book.find(id)->row;
  if (row.order >= Order::preempt) return;
  const bool running = row.state == AllocationState::running;
  const int timeout_s = running ? step.book.at(row.experiment).config.preemption_timeout_s : 0;
  step.book.edit(id).preempt_deadline_ms =
      std::max<std::int64_t>(to_ms(step.now) + std::int64_t{timeout_s} * 1000, 1);
  give_order(step, id, running ? Order::preempt : Order::kill);
}

void apply_status(Step& step, const AgentId& agent, const AllocationStatus& status) {
  if (!is_attempt_open(step.book, status.allocation)) return;
  AllocationRow& row = step.book.edit(status.allocation);
  AllocationNode* node = find_node(row, agent);
  if (node == nullptr || node->given_up || is_over(node->phase)) return;
  node->phase = std::max(node->phase, status.phase);
  if (!status.address.empty()) node->address = status.address;
  if (status.port != 0) node->port = status.port;
  for (const RankExit& exit : status.exits) merge_exit(*node, exit);
  // That it ended before its ranks ran is no news of a node that we told to end.
  const bool told_so = row.order >= Order::preempt && status.infrastructure &&
                       status.phase == AllocationPhase::ended && status.exits.empty();
  if (!told_so && !status.failure.empty()) {
    node->failure = status.failure;
    node->infrastructure = status.infrastructure;
  }
  if (is_over(node->phase)) release(step, row, *node);
}

void read_exit(Step& step, const InboxRow& inbox) {
  if (!is_attempt_open(step.book, inbox.allocation)) return;
  AllocationRow& row = step.book.edit(inbox.allocation);
  AllocationNode* node = find_node_of_rank(row, inbox.stream);
  if (node == nullptr || node->given_up) return;
  const auto number = [&](const char* key) {
    const Value& value = inbox.body[key];
    return value.is_int() ? static_cast<int>(value.as_int()) : 0;
  };
  RankExit exit{.rank = inbox.stream, .code = number("code"), .signal = number("signal")};
  exit.seq = inbox.seq;
  const Value& out_of_memory = inbox.body["out_of_memory"];
  exit.out_of_memory = out_of_memory.is_bool() && out_of_memory.as_bool();
  if (exit.code == 0 && exit.signal != 0) exit.code = 128 + exit.signal;
  if (inbox.body["ordered"].is_string())
    parse_order(inbox.body["ordered"].as_string(), exit.ordered);
  merge_exit(*node, exit);
  const auto place =
      std::lower_bound(node->exits_read.begin(), node->exits_read.end(), inbox.stream);
  if (place == node->exits_read.end() || *place != inbox.stream) {
    node->exits_read.insert(place, inbox.stream);
  }
}

void give_up_nodes(Step& step, const AgentId& agent, const std::string& why) {
  for (auto& [id, memory] : step.book.allocations) {
    if (memory.row.state == AllocationState::ended) continue;
    const AllocationNode* node = find_node(memory.row, agent);
    if (node == nullptr || node->given_up) continue;
    const bool all_known = is_settled(*node);
    AllocationRow& row = step.book.edit(id);
    AllocationNode& edited = *find_node(row, agent);
    edited.given_up = true;
    if (!is_over(edited.phase)) edited.phase = AllocationPhase::lost;
    if (!all_known && edited.failure.empty()) {
      edited.failure = why;
      edited.infrastructure = true;
    }
    release(step, row, edited);
  }
}

void fail_unready_nodes(Step& step, AllocationId id, const std::string& why) {
  for (AllocationNode& node : step.book.edit(id).nodes) {
    if (node.released || ran(node) || !node.failure.empty()) continue;
    node.failure = why;
    node.infrastructure = true;
  }
}

void advance_allocations(Step& step) {
  while (!step.book.changed_allocations.empty()) {
    for (const AllocationId id : std::exchange(step.book.changed_allocations, {})) {
      advance(step, id);
    }
  }
}

}  // namespace dt::core
