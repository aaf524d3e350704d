#include "sim/checkers.h"

#include <algorithm>

#include "formats/json.h"
#include "sim/world.h"

namespace dt::sim {

using namespace core;  // NOLINT: rows are this file's words

Checkers::Checkers(World& world)
    : world_(world), processes_(world), words_(world), ledger_(world) {}

// Nodes.

void Checkers::node_ready(AllocationId allocation, int node_rank, int nodes) {
  processes_.node_ready(allocation, node_rank, nodes);
}

void Checkers::rank_spawned(const Spawned& spawned, std::weak_ptr<Rank> rank) {
  processes_.spawned(spawned, std::move(rank));
}

void Checkers::rank_ended(const Node& node, const RankId& id, int code) {
  processes_.ended(node, id, code);
}

void Checkers::said(const RankId& id, std::int64_t rank_seq, RecordKind kind, const Value& body) {
  words_.said(id, rank_seq, kind, body);
}

void Checkers::appended(AllocationId allocation, const Record& record) {
  words_.appended(allocation, record);
}

void Checkers::acknowledged(const RankId& id, std::int64_t rank_seq, const Spool& spool) {
  words_.acknowledged(id, rank_seq, spool);
}

void Checkers::scrapped(const Node& node) {
  for (const auto& [id, folder] : node.disk.folders) words_.scrapped(id);
}

void Checkers::agent_stepped(const Node& node, const relay::Event& event,
                             const relay::Actions& actions) {
  for (const relay::Action& action : actions) {
    if (const auto* send = std::get_if<relay::SendHeartbeat>(&action)) {
      processes_.agent_says(node, send->heartbeat.allocations);
    }
    if (const auto* remove = std::get_if<relay::RemoveFolder>(&action)) {
      const auto folder = node.disk.folders.find(remove->allocation);
      if (folder == node.disk.folders.end()) continue;
      words_.folder_removed(remove->allocation, folder->second.spool);
    }
  }
  if (const auto* answered = std::get_if<relay::Answered>(&event)) {
    obeys(node, answered->answer, actions);
  }
}

// P4: what an answer does not want, or wants to end, is told to end at once.
void Checkers::obeys(const Node& node, const Answer& answer, const relay::Actions& actions) {
  const auto told = [&](AllocationId id, Order order) {
    return std::any_of(actions.begin(), actions.end(), [&](const relay::Action& action) {
      const auto* tell = std::get_if<relay::TellShim>(&action);
      return tell != nullptr && tell->allocation == id && tell->order >= order;
    });
  };
  if (answer.cluster_epoch < node.disk.cluster_epoch) return;
  for (const auto& [id, shim] : node.shims) {
    if (!shim->is_alive() || shim->status().phase >= AllocationPhase::ended) continue;
    const auto wanted = std::find_if(answer.wanted.begin(), answer.wanted.end(),
                                     [&](const Wanted& one) { return one.allocation == id; });
    const Order order = wanted == answer.wanted.end() ? Order::kill : wanted->order;
    if (order < Order::preempt || told(id, order)) continue;
    // What its shim said last may still be on its way to the agent.
    const auto statuses = node.brain().allocations();
    const bool known = std::any_of(statuses.begin(), statuses.end(), [&](const auto& status) {
      return status.allocation == id && status.phase < AllocationPhase::ended;
    });
    if (!known) continue;
    world_.fail(cat("P4: agent ", node.agent_id(), " is told to ", core::to_text(order),
                    " allocation ", id, " and does not"));
  }
}

// The node gives up before the master does: no lease is longer than counted from the master's last
// word of the agent, which is the latest that an answered heartbeat can have been sent.
void Checkers::lease_told(const Node& node, AllocationId allocation, Time deadline) {
  if (world_.lease() == Duration(0)) return;
  const Time latest = master_heard_[node.index()] + world_.lease();
  if (deadline <= latest) return;
  world_.fail(cat("P4: allocation ", allocation, " on node ", node.index(),
                  " may train until t=", deadline == never ? "never" : world_.seconds(deadline),
                  "; by what the master has heard it is t=", world_.seconds(latest)));
}

void Checkers::resumed(AllocationId allocation, const Assignment& assignment) {
  if (!assignment.checkpoint) return;
  const CheckpointId id = assignment.checkpoint->id;
  const auto row = world_.database.rows().checkpoints.find(id);
  if (row == world_.database.rows().checkpoints.end() ||
      row->second.state != CheckpointState::stored) {
    return world_.fail(
        cat("P1: allocation ", allocation, " resumes from ", id, ", which is not stored"));
  }
  for (int part = 0; part < row->second.parts; ++part) {
    if (world_.database.has_part(id, part)) continue;
    world_.fail(cat("P1: part ", part, " of checkpoint ", id, " is not in the store"));
  }
}

// The master.

void Checkers::master_heard(int node) { master_heard_[node] = world_.queue.now(); }
void Checkers::master_starts(Time now) { ledger_.master_starts(now); }

void Checkers::master_died() {
  consumed_.clear();
  ledger_.master_died();
}

void Checkers::stepped(Time now, const MasterEvent* event, const Effects& effects) {
  ledger_.stepped(now, event, effects);
  consumed_.insert(effects.writes.consumed.begin(), effects.writes.consumed.end());
}

void Checkers::committed(const Writes& writes) {
  consumed_.clear();
  ledger_.committed(writes);
  for (const AllocationRow& row : writes.allocations) {
    if (world_.is_traced()) world_.trace("master: ", text_of(row));
    processes_.released(row);
  }
}

void Checkers::ingested(AllocationId allocation, const Marks& before,
                        const std::vector<Record>& records, const IngestPlan& plan) {
  words_.ingested(allocation, before, records, plan);
}

// People.

// P8: a repeated request is answered alike, and nonsense is refused.
void Checkers::replied(const People::Request& request, const Result<Value>& result) {
  if (!result.ok() && result.status().code() == Code::unavailable) return;
  const std::string text = result.ok() ? to_json(*result) : result.status().text();
  if (request.nonsense && result.ok()) world_.fail(cat("nonsense was answered by ", text));
  const auto [first, is_new] = replies_.emplace(request.id, text);
  if (is_new || first->second == text) return;
  world_.fail(
      cat("P8: \"", request.id, "\" was answered by ", first->second, " and then by ", text));
}

void Checkers::answered(const People::Request& request) {
  world_.trace("people: ", request.id, " is answered");
  if (request.ask == People::Ask::forget) return;
  if (!world_.database.rows().experiments.contains(request.experiment)) {
    world_.fail(cat("P1: experiment ", request.experiment, " was acknowledged, but is not stored"));
  }
  const bool ends = request.verb == Verb::kill || request.verb == Verb::cancel;
  if (request.ask == People::Ask::verb && ends) killed_.insert(request.experiment);
}

void Checkers::sweep() { processes_.sweep(); }

// The end.

void Checkers::at_end() {
  words_.at_end();
  requests_had_one_effect();
  kills_were_obeyed();
}

void Checkers::requests_had_one_effect() {
  std::int64_t accepted = 0;
  for (const People::Request& request : world_.people.requests()) {
    accepted += request.ask == People::Ask::submit && request.accepted ? 1 : 0;
  }
  const auto created = std::ssize(world_.database.rows().experiments);
  if (created == accepted) return;
  world_.fail(cat("P8: ", accepted, " submits made ", created, " experiments"));
}

void Checkers::kills_were_obeyed() {
  for (const ExperimentId id : killed_) {
    const ExperimentState state = world_.database.rows().experiments.at(id).state;
    if (is_terminal(state)) continue;
    world_.fail(cat("P1: experiment ", id, " outlived its kill"));
  }
}

}  // namespace dt::sim
