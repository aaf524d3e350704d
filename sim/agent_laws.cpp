#include "sim/agent_laws.h"

#include <algorithm>

#include "sim/world.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: rows are this file's words

const AllocationNode* part_on(const AllocationRow& row, const AgentId& agent) {
  for (const AllocationNode& node : row.nodes) {
    if (node.agent == agent) return &node;
  }
  return nullptr;
}

bool refuses(const Effects& effects, std::int64_t link) {
  return std::any_of(effects.actions.begin(), effects.actions.end(), [&](const auto& action) {
    const auto* refuse = std::get_if<RefuseAgent>(&action);
    return refuse != nullptr && refuse->link == link;
  });
}

std::set<AllocationId> living(const std::vector<AllocationStatus>& statuses) {
  std::set<AllocationId> ids;
  for (const AllocationStatus& status : statuses) {
    if (status.phase < AllocationPhase::ended) ids.insert(status.allocation);
  }
  return ids;
}

Breach assignment_breach(const Turn& turn, const AllocationRow& row, const AllocationNode& node,
                         const std::optional<Assignment>& told) {
  if (!told) return "lacks what to prepare";
  const TrialRow& trial = *turn.after(row.trial);
  const ExperimentRow& experiment = *turn.after(row.experiment);
  const bool place = told->node_rank == node.node_rank && told->first_rank == node.first_rank &&
                     told->slot_ids == node.slot_ids && told->size == row.size &&
                     told->nodes == std::ssize(row.nodes);
  const bool what = told->experiment == row.experiment && told->trial == row.trial &&
                    told->attempt == row.attempt && told->restarts == trial.restarts &&
                    told->trial_seed == trial.seed && told->hparams == trial.hparams &&
                    told->config["name"] == experiment.config["name"] &&
                    told->context == experiment.context;
  if (!place || !what) return "is told another share than its own";
  if (told->checkpoint.has_value() != static_cast<bool>(row.resumed_from)) {
    return "is told to resume, or not, against its row";
  }
  if (!told->checkpoint) return "";
  const CheckpointRow* checkpoint = turn.after(row.resumed_from);
  const bool same = checkpoint != nullptr && told->checkpoint->id == checkpoint->id &&
                    told->checkpoint->step == checkpoint->step &&
                    told->checkpoint->files == checkpoint->files;
  return same ? "" : "is told another checkpoint than its row's";
}

Breach table_breach(const AllocationRow& row, const std::optional<RankTable>& table) {
  if (!table || std::ssize(table->ranks) != row.size) return "has no whole table of ranks";
  if (table->master_port != row.nodes.front().port || table->master_port == 0) {
    return "is told another port than rank 0's";
  }
  int rank = 0;
  for (const AllocationNode& node : row.nodes) {
    const int count = std::max<int>(static_cast<int>(node.slot_ids.size()), 1);
    for (int local = 0; local < count; ++local, ++rank) {
      const RankPlace& place = table->ranks[static_cast<std::size_t>(rank)];
      const bool right = place.rank == rank && place.node_rank == node.node_rank &&
                         place.local_rank == local && !place.address.empty();
      if (!right) return cat("is told a wrong place of rank ", rank);
    }
  }
  return "";
}

}  // namespace

Duration AgentLaws::give_up_after() const {
  return world_.lease() == Duration(0) ? Duration::max() : world_.lease() + Duration(20'000);
}

void AgentLaws::master_starts(Time now, const Rows& rows) {
  agents_.clear();
  for (const auto& [id, row] : rows.agents) {
    if (!row.forgotten) agents_[id] = {.last_word = now};
  }
}

bool AgentLaws::holds_anything(const AgentId& agent, const Rows& rows) const {
  for (const auto& [id, row] : rows.allocations) {
    if (row.state == AllocationState::ended) continue;
    const AllocationNode* part = part_on(row, agent);
    if (part != nullptr && !part->given_up) return true;
  }
  return false;
}

void AgentLaws::hear(const Turn& turn) {
  lost_.clear();
  due_.clear();
  is_stale_ = is_refused_ = false;
  if (const auto* joined = turn.heard<AgentJoined>()) hear_join(turn, *joined);
  if (const auto* spoke = turn.heard<AgentSpoke>()) hear_word(turn, *spoke);
  if (turn.heard<TimerFired>() != nullptr) hear_silence(turn);
  if (const auto* forgotten = turn.heard<AgentForgotten>()) lost_.insert(forgotten->agent);
  if (const auto* gone = turn.heard<AgentDisconnected>()) {
    const auto known = agents_.find(gone->agent);
    if (known != agents_.end() && known->second.link == gone->link) known->second.link = 0;
  }
}

// The same id from another machine is taken only when nobody can act under it any more.
void AgentLaws::hear_join(const Turn& turn, const AgentJoined& event) {
  const AgentId& id = event.hello.agent;
  const AgentRow* row = Turn::find(turn.before.agents, id);
  const auto known = agents_.find(id);
  const bool other_machine =
      row != nullptr && !row->forgotten && row->machine_id != event.hello.machine_id;
  bool must_refuse = false;
  if (other_machine && known != agents_.end()) {
    const bool may_act = known->second.link != 0 || holds_anything(id, turn.before);
    const Duration silent = turn.now - known->second.last_word;
    must_refuse = may_act && silent < give_up_after();
  }
  is_refused_ = refuses(turn.effects, event.link);
  if (is_refused_ != must_refuse) {
    world_.fail(cat("P4: agent ", id, " of ", event.hello.machine_id, " is ",
                    is_refused_ ? "refused" : "taken", ", but another machine ",
                    must_refuse ? "holds its id" : "does not hold its id"));
  }
  if (is_refused_) return;
  if (other_machine && known != agents_.end() && known->second.link != 0 &&
      !refuses(turn.effects, known->second.link)) {
    world_.fail(cat("P6: agent ", id, " is taken from ", row->machine_id, ", which is not told"));
  }
  const bool rebooted = row != nullptr && row->boot_id != event.hello.boot_id;
  if (row != nullptr && !row->forgotten && (other_machine || rebooted)) lost_.insert(id);
  agents_[id] = {.link = event.link,
                 .session = turn.writes().cluster ? turn.writes().cluster->last_session : 0,
                 .last_word = turn.now,
                 .holds = living(event.hello.allocations)};
  due_.insert(id);
}

void AgentLaws::hear_word(const Turn& turn, const AgentSpoke& event) {
  const Heartbeat& heartbeat = event.heartbeat;
  const auto known = agents_.find(heartbeat.agent);
  is_stale_ = known == agents_.end() || known->second.link == 0 ||
              known->second.link != event.link || known->second.session != heartbeat.session ||
              heartbeat.number <= known->second.last_heartbeat;
  if (is_stale_) return;
  Memory& agent = known->second;
  agent.last_heartbeat = heartbeat.number;
  agent.last_word = turn.now;
  agent.waited_for = true;
  agent.holds = living(heartbeat.allocations);
  if (heartbeat.leaving) {
    lost_.insert(heartbeat.agent);
    agent.link = 0;
  } else {
    due_.insert(heartbeat.agent);
  }
}

void AgentLaws::hear_silence(const Turn& turn) {
  if (give_up_after() == Duration::max()) return;
  for (auto& [id, agent] : agents_) {
    if (turn.now - agent.last_word < give_up_after()) continue;
    agent.waited_for = false;
    lost_.insert(id);
  }
}

Time AgentLaws::next_deadline() const {
  Time next = never;
  if (give_up_after() == Duration::max()) return next;
  for (const auto& [id, agent] : agents_) {
    if (agent.waited_for) next = std::min(next, agent.last_word + give_up_after());
  }
  return next;
}

// Connected, and nothing lives on it that the master gave up or never knew.
bool AgentLaws::takes_part(const AgentId& agent, const Rows& rows) const {
  const auto known = agents_.find(agent);
  const AgentRow* row = Turn::find(rows.agents, agent);
  if (known == agents_.end() || row == nullptr || !row->connected) return false;
  if (known->second.link == 0) return false;
  return std::all_of(known->second.holds.begin(), known->second.holds.end(), [&](const auto& id) {
    const AllocationRow* allocation = Turn::find(rows.allocations, id);
    if (allocation == nullptr || allocation->state == AllocationState::ended) return false;
    const AllocationNode* part = part_on(*allocation, agent);
    return part != nullptr && !part->released;
  });
}

Breach AgentLaws::check(const Turn& turn, const std::set<AllocationId>& open) {
  if (is_stale_ || is_refused_) {
    const bool idle = turn.writes().allocations.empty() && turn.writes().agents.empty() &&
                      turn.writes().trials.empty();
    if (!idle) return "an agent that is not the one that is linked changes rows";
  }
  for (const AgentRow& row : turn.writes().agents) {
    const AgentRow* was = Turn::find(turn.before.agents, row.id);
    if (was != nullptr && row.session < was->session) return "P4: a session is granted twice";
    const auto known = agents_.find(row.id);
    if (row.forgotten) agents_.erase(row.id);
    const bool linked = known != agents_.end() && known->second.link != 0;
    if (row.connected && !linked) return cat("agent ", row.id, " is connected in its row alone");
  }
  for (const MasterAction& action : turn.effects.actions) {
    if (const auto* send = std::get_if<SendAnswer>(&action)) {
      if (Breach breach = answer_breach(turn, *send, open); !breach.empty()) {
        return cat("answer to ", send->agent, ": ", breach);
      }
    }
  }
  if (Breach breach = answers_are_due(turn); !breach.empty()) return breach;
  return turn.heard<TimerFired>() != nullptr ? silent_is_given_up(turn, open) : "";
}

// Every heartbeat is answered, and every change of what an agent shall do is told at once.
Breach AgentLaws::answers_are_due(const Turn& turn) const {
  if (!due_.empty()) return cat("agent ", *due_.begin(), " spoke and is not answered");
  for (const AllocationRow& row : turn.writes().allocations) {
    for (const AllocationNode& node : row.nodes) {
      const auto known = agents_.find(node.agent);
      if (known == agents_.end() || known->second.link == 0) continue;
      const auto& told = known->second.told;
      const auto place = std::find_if(told.begin(), told.end(),
                                      [&](const auto& one) { return one.first == row.id; });
      const bool wanted = row.state != AllocationState::ended && !node.released;
      const bool right =
          wanted ? place != told.end() && place->second == row.order : place == told.end();
      if (right) continue;
      return cat("agent ", node.agent, " is not told that allocation ", row.id, " is ",
                 wanted ? core::to_text(row.order) : "not wanted any more");
    }
  }
  return "";
}

Breach AgentLaws::answer_breach(const Turn& turn, const SendAnswer& send,
                                const std::set<AllocationId>& open) {
  const auto known = agents_.find(send.agent);
  if (known == agents_.end() || known->second.link != send.link) return "it is not linked";
  Memory& agent = known->second;
  due_.erase(send.agent);
  const Answer& answer = send.answer;
  const ClusterRow& cluster = turn.writes().cluster ? *turn.writes().cluster : turn.before.cluster;
  const bool ours = answer.cluster_id == cluster.cluster_id &&
                    answer.cluster_epoch == cluster.cluster_epoch &&
                    answer.session == agent.session && answer.lease == world_.lease();
  if (!ours) return "it names another cluster, session or lease";
  const auto* spoke = turn.heard<AgentSpoke>();
  const bool is_reply = spoke != nullptr && spoke->heartbeat.agent == send.agent && !is_stale_;
  const std::int64_t expected = is_reply ? spoke->heartbeat.number : 0;
  if (answer.heartbeat != expected) return "it names a heartbeat that it does not answer";
  agent.told.clear();
  for (const Wanted& wanted : answer.wanted) {
    if (Breach breach = wanted_breach(turn, wanted, send.agent); !breach.empty()) {
      return cat("allocation ", wanted.allocation, ' ', breach);
    }
    agent.told.emplace_back(wanted.allocation, wanted.order);
  }
  std::int64_t held = 0;
  for (const AllocationId id : open) {
    const AllocationRow& row = *turn.after(id);
    const AllocationNode* part = part_on(row, send.agent);
    held += row.state != AllocationState::ended && part != nullptr && !part->released ? 1 : 0;
  }
  if (held == std::ssize(answer.wanted)) return "";
  return cat("it wants ", answer.wanted.size(), " allocations, the rows have ", held);
}

Breach AgentLaws::wanted_breach(const Turn& turn, const Wanted& wanted,
                                const AgentId& agent) const {
  const AllocationRow* row = turn.after(wanted.allocation);
  const AllocationNode* node = row == nullptr ? nullptr : part_on(*row, agent);
  if (node == nullptr || row->state == AllocationState::ended || node->released) {
    return "is wanted, but not held";
  }
  if (wanted.order != row->order) return cat("is told to ", core::to_text(wanted.order));
  if (wanted.order == Order::prepare) {
    return assignment_breach(turn, *row, *node, wanted.assignment);
  }
  if (wanted.order == Order::start) return table_breach(*row, wanted.table);
  if (wanted.order != Order::preempt) return "";
  const Duration left = std::max(from_ms(row->preempt_deadline_ms) - turn.now, Duration(0));
  return wanted.preempt_left == left ? "" : "is told another deadline than its row's";
}

// P6: nobody waits for an agent whose lease is over.
Breach AgentLaws::silent_is_given_up(const Turn& turn, const std::set<AllocationId>& open) const {
  for (const AllocationId id : open) {
    const AllocationRow& row = *turn.after(id);
    if (row.state == AllocationState::ended) continue;
    for (const AllocationNode& node : row.nodes) {
      if (node.given_up || !lost_.contains(node.agent)) continue;
      return cat("P6: agent ", node.agent, " is silent for too long, but allocation ", id,
                 " waits for it");
    }
  }
  return "";
}

}  // namespace dt::sim
