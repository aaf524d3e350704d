#include "sim/checkers.h"

#include <algorithm>

#include "core/experiment/attempt_end.h"
#include "core/experiment/search_log.h"
#include "formats/json.h"
#include "sim/world.h"

namespace dt::sim {

using namespace core;  // NOLINT: rows are this file's words

namespace {

constexpr Duration peers_most{2'500};  // on one node: grace 500 ms, and the kill's own time
constexpr std::int64_t commits_per_sample = 100;

// What a search said when it heard these events.
struct SearchStory {
  std::map<SearchTrial, CreateTrial> created;
  std::set<SearchTrial> stopped;
  std::map<SearchTrial, int> exits;  // told to it
};

SearchStory replay(ExperimentId id, const ExperimentConfig& config,
                   const std::vector<SearcherEventRow>& events) {
  SearchStory story;
  SearchLog search(id, config);
  for (const SearcherEventRow& row : events) {
    if (row.event["event"] == Value("exited")) {
      ++story.exits[static_cast<SearchTrial>(row.event["trial"].as_int())];
    }
    Writes unused;
    for (const SearchOperation& operation : search.append(row.event, unused)) {
      if (const auto* create = std::get_if<CreateTrial>(&operation)) {
        story.created.emplace(create->trial, *create);
      } else if (const auto* stop = std::get_if<StopTrial>(&operation)) {
        story.stopped.insert(stop->trial);
      }
    }
  }
  return story;
}

}  // namespace

void Checkers::fail(const std::string& what) { world_.fail(what); }

// Nodes.

void Checkers::node_ready(AllocationId allocation, int node_rank, int nodes) {
  ready_[allocation].insert(node_rank);
  nodes_of_[allocation] = nodes;
}

void Checkers::rank_spawned(const Spawned& spawned) {
  world_.trace("node ", spawned.node, ": rank ", spawned.id.rank, " of ", spawned.id.allocation,
               " (trial ", spawned.trial, ") lives");
  slot_held_once(spawned);
  gang_was_ready(spawned);
  trained_once(spawned);
  live_[spawned.id] = {spawned.node, spawned.slot, spawned.trial};
}

void Checkers::slot_held_once(const Spawned& spawned) {
  for (const auto& [id, live] : live_) {
    const bool same = live.node == spawned.node && live.slot == spawned.slot;
    if (!same || id.allocation == spawned.id.allocation) continue;
    fail(cat("P2: slot ", spawned.slot, " of node ", spawned.node, " is held by allocations ",
             id.allocation, " and ", spawned.id.allocation));
  }
}

void Checkers::gang_was_ready(const Spawned& spawned) {
  const AllocationId id = spawned.id.allocation;
  const auto missing = nodes_of_[id] - static_cast<int>(ready_[id].size());
  if (missing <= 0) return;
  fail(cat("P3: rank ", spawned.id.rank, " of allocation ", id, " begins, but ", missing,
           " nodes were never ready"));
}

// P2: what the master gives to others next is not in use: after an end, and after a silence too.
void Checkers::released_slots_are_free(const AllocationRow& row) {
  for (const AllocationNode& node : row.nodes) {
    if (!node.released) continue;
    for (int i = 0; i < rank_count(node); ++i) {
      const auto live = live_.find({row.id, node.first_rank + i});
      if (live == live_.end()) continue;
      fail(cat("P2: the slots of allocation ", row.id, " on node ", live->second.node,
               " are free to the master, but its rank ", live->first.rank, " lives"));
    }
  }
}

void Checkers::trained_once(const Spawned& spawned) {
  for (const auto& [id, live] : live_) {
    if (live.trial != spawned.trial || id.allocation == spawned.id.allocation) continue;
    fail(cat("P4: trial ", spawned.trial, " runs on allocations ", id.allocation, " and ",
             spawned.id.allocation));
  }
}

void Checkers::rank_ended(int node, const RankId& id, int code) {
  world_.trace("node ", node, ": rank ", id.rank, " of ", id.allocation, " ends with ", code);
  live_.erase(id);
  if (code == 0 || code == 75) return;
  const Time since = world_.queue.now();
  world_.queue.after(peers_most, [this, node, allocation = id.allocation, since] {
    peers_end(node, allocation, since);
  });
}

// A rank that ended as it was ordered to leaves its peers alone; all other ends, and a killed shim,
// end the gang.
bool Checkers::ends_its_gang(int node, AllocationId allocation) const {
  const auto& shims = world_.nodes[static_cast<std::size_t>(node)]->shims;
  const auto shim = shims.find(allocation);
  if (shim == shims.end()) return true;
  const AllocationStatus status = shim->second->status();
  if (!shim->second->is_alive() && status.phase != AllocationPhase::ended) return true;
  return std::any_of(status.exits.begin(), status.exits.end(), core::shim::is_failure);
}

// On the node of the dead rank always; elsewhere once the world is calm for long enough.
void Checkers::peers_end(int node, AllocationId allocation, Time since) {
  if (!ends_its_gang(node, allocation)) return;
  for (const auto& [id, live] : live_) {
    if (id.allocation != allocation) continue;
    if (live.node == node) {
      return fail(cat("P3: rank ", id.rank, " of allocation ", allocation, " lives on node ", node,
                      " though a peer died at t=", world_.seconds(since)));
    }
    const Duration bound = world_.options.lease * 2 + Duration(120'000);
    const Time calm = std::max(since, world_.last_fault());
    if (world_.queue.now() >= calm + bound) {
      return fail(cat("P3: rank ", id.rank, " of allocation ", allocation, " lives on node ",
                      live.node, " though a rank on node ", node,
                      " died at t=", world_.seconds(since)));
    }
    world_.queue.after(Duration(10'000),
                       [this, node, allocation, since] { peers_end(node, allocation, since); });
    return;
  }
}

void Checkers::said(const RankId& id, std::int64_t rank_seq, RecordKind kind, const Value& body) {
  Speech& speech = speech_[id];
  VERIFY(rank_seq == static_cast<std::int64_t>(speech.said.size()) + 1, "a rank counts by ones");
  speech.said.push_back({kind, body});
  const Value& loss = body["values"]["loss"];
  if (id.rank == 0 && loss.is_double()) {
    origins_[loss.as_double()] = {id.allocation, body["step"].as_int()};
  }
}

void Checkers::appended(const RankId& id, std::int64_t rank_seq, std::int64_t seq) {
  speech_.at(id).said.at(static_cast<std::size_t>(rank_seq - 1)).seq = seq;
}

void Checkers::acknowledged(const RankId& id, std::int64_t rank_seq) {
  Speech& speech = speech_.at(id);
  speech.acknowledged = std::max(speech.acknowledged, rank_seq);
}

void Checkers::agent_holds(const Node& node, const std::vector<AllocationStatus>& statuses) {
  nothing_lives_past_its_end(node, statuses);
}

void Checkers::agent_said(const Node& node, const std::vector<AllocationStatus>& statuses) {
  nothing_lives_past_its_end(node, statuses);
}

// P4: what the agent calls over has no process left.
void Checkers::nothing_lives_past_its_end(const Node& node,
                                          const std::vector<AllocationStatus>& statuses) {
  for (const AllocationStatus& status : statuses) {
    if (status.phase < AllocationPhase::ended) continue;
    const auto first = live_.lower_bound({status.allocation, 0});
    for (auto it = first; it != live_.end() && it->first.allocation == status.allocation; ++it) {
      if (it->second.node != node.index()) continue;
      fail(cat("P4: rank ", it->first.rank, " of allocation ", status.allocation,
               " lives, but its agent says ", core::to_text(status.phase)));
    }
  }
}

void Checkers::master_heard(int node) { master_heard_[node] = world_.queue.now(); }

// The node gives up before the master does: no lease is longer than counted from the master's last
// word of the agent, which is the latest that an answered heartbeat can have been sent.
void Checkers::lease_told(const Node& node, AllocationId allocation, Time deadline) {
  if (world_.options.lease == Duration(0)) return;
  const Time latest = master_heard_[node.index()] + world_.options.lease;
  if (deadline <= latest) return;
  fail(cat("P4: allocation ", allocation, " on node ", node.index(),
           " may train until t=", deadline == never ? "never" : world_.seconds(deadline),
           "; by what the master has heard it is t=", world_.seconds(latest)));
}

void Checkers::resumed(AllocationId allocation, const Assignment& assignment) {
  if (!assignment.checkpoint) return;
  const CheckpointId id = assignment.checkpoint->id;
  const auto row = world_.database.rows().checkpoints.find(id);
  if (row == world_.database.rows().checkpoints.end() ||
      row->second.state != CheckpointState::stored) {
    return fail(cat("P1: allocation ", allocation, " resumes from ", id, ", which is not stored"));
  }
  for (int part = 0; part < row->second.parts; ++part) {
    if (world_.database.has_blob(id, part)) continue;
    fail(cat("P1: part ", part, " of checkpoint ", id, " is not in the store"));
  }
}

// Commits.

void Checkers::before_commit(const Writes& writes) {
  consumed(writes);
  heard_all(writes);
  heard_in_order(writes);
  for (const AllocationRow& row : writes.allocations) {
    const auto& known = world_.database.rows().allocations;
    const auto before = known.find(row.id);
    if (before == known.end()) begun_rightly(row);
    const bool was_open = before == known.end() || before->second.state < AllocationState::settling;
    if (was_open && row.state >= AllocationState::settling) judged_after_its_metrics(row);
  }
}

void Checkers::after_commit(const Writes& writes) {
  for (const AllocationRow& row : writes.allocations) {
    world_.trace("master: ", text_of(row));
    released_slots_are_free(row);
  }
  for (const TrialRow& row : writes.trials) {
    const ExperimentRow& experiment = world_.database.rows().experiments.at(row.experiment);
    const Value& most = experiment.config["max_restarts"];
    if (most.is_int() && row.restarts > most.as_int()) {
      fail(cat("P7: trial ", row.id, " was restarted ", row.restarts, " times"));
    }
  }
  if (++commits_ % commits_per_sample != 0) return;
  for (const auto& [id, row] : world_.database.rows().experiments) search_equals_trials(id);
}

void Checkers::consumed(const Writes& writes) {
  for (const InboxId id : writes.consumed) {
    const auto row = world_.database.rows().inbox.find(id);
    if (row == world_.database.rows().inbox.end()) {
      fail(cat("inbox row ", id, " is consumed, but is not there"));
    } else if (!row->second.part_stored) {
      consumed_.insert({row->second.allocation, row->second.stream, row->second.seq});
    }
  }
}

bool Checkers::is_open_before(AllocationId allocation, int rank) const {
  const auto row = world_.database.rows().allocations.find(allocation);
  if (row == world_.database.rows().allocations.end()) return false;
  if (row->second.state >= AllocationState::settling) return false;
  for (const AllocationNode& node : row->second.nodes) {
    const bool holds = rank >= node.first_rank && rank < node.first_rank + rank_count(node);
    if (holds && node.given_up) return false;
  }
  return true;
}

// Each validation that the searcher hears comes from an attempt that was open, in the order of
// steps, the first value of each step.
void Checkers::heard_in_order(const Writes& writes) {
  for (const SearcherEventRow& row : writes.searcher_events) {
    const Value& event = row.event;
    if (!event["metric"].is_number()) continue;
    const auto origin = origins_.find(event["metric"].as_double());
    if (origin == origins_.end()) {
      return fail(cat("the searcher heard ", to_json(event), ", which no rank said"));
    }
    const AllocationId allocation = origin->second.allocation;
    if (!is_open_before(allocation, 0)) {
      return fail(cat("P4: allocation ", allocation, " is over, but its metric of step ",
                      origin->second.step, " was judged"));
    }
    const TrialId trial = world_.database.rows().allocations.at(allocation).trial;
    std::int64_t& heard = heard_step_[trial];
    if (origin->second.step <= heard) {
      return fail(
          cat("trial ", trial, ": step ", origin->second.step, " was judged after step ", heard));
    }
    heard = origin->second.step;
  }
}

template <class Row, class Key>
const Row& row_after(const std::vector<Row>& changed, const std::map<Key, Row>& rows, Key id) {
  for (const Row& row : changed) {
    if (row.id == id) return row;
  }
  return rows.at(id);
}

// The attempt and its trial run on after this batch as if nothing had happened.
bool Checkers::goes_on_after(AllocationId id, const Writes& writes) const {
  const Rows& rows = world_.database.rows();
  const AllocationRow& allocation = row_after(writes.allocations, rows.allocations, id);
  const TrialRow& trial = row_after(writes.trials, rows.trials, allocation.trial);
  const bool runs = trial.state == TrialState::active || trial.state == TrialState::paused;
  return runs && !trial.stopped_by_searcher && allocation.state < AllocationState::settling &&
         !allocation.nodes.front().given_up;
}

// A validation beyond all earlier steps of a trial that runs on is heard in the batch that reads
// it.
void Checkers::heard_all(const Writes& writes) {
  std::set<std::pair<AllocationId, std::int64_t>> heard;
  for (const SearcherEventRow& row : writes.searcher_events) {
    if (!row.event["metric"].is_double()) continue;
    const auto origin = origins_.find(row.event["metric"].as_double());
    if (origin != origins_.end()) heard.emplace(origin->second.allocation, origin->second.step);
  }
  const Rows& rows = world_.database.rows();
  for (const InboxId id : writes.consumed) {
    const auto found = rows.inbox.find(id);
    if (found == rows.inbox.end() || found->second.kind != RecordKind::metrics) continue;
    const AllocationId allocation = found->second.allocation;
    if (!is_open_before(allocation, 0) || !goes_on_after(allocation, writes)) continue;
    const std::int64_t step = found->second.body["step"].as_int();
    const TrialId trial = rows.allocations.at(allocation).trial;
    if (step <= heard_step_[trial] || heard.contains({allocation, step})) continue;
    fail(cat("the metric of step ", step, " of trial ", trial, ", allocation ", allocation,
             ", was read, but its search never heard it"));
  }
}

// An exit is judged when every acknowledged validation of its attempt was read.
void Checkers::judged_after_its_metrics(const AllocationRow& row) {
  if (row.nodes.front().given_up) return;
  const auto speech = speech_.find({row.id, 0});
  if (speech == speech_.end()) return;
  for (std::int64_t i = 0; i < speech->second.acknowledged; ++i) {
    const Said& said = speech->second.said[static_cast<std::size_t>(i)];
    const bool decides =
        said.kind != RecordKind::metrics || said.body["group"] == Value("validation");
    if (!decides || consumed_.contains({row.id, 0, said.seq})) continue;
    return fail(cat("P1: the end of allocation ", row.id, " was judged before its ",
                    core::to_text(said.kind), " of step ", to_json(said.body["step"]),
                    " was read"));
  }
}

// P1: no attempt begins after a kill or a cancel was acknowledged.
void Checkers::begun_rightly(const AllocationRow& row) {
  const auto killed = killed_.find(row.experiment);
  if (killed == killed_.end()) return;
  fail(cat("P1: allocation ", row.id, " begins, though the end of experiment ", row.experiment,
           " was acknowledged at t=", world_.seconds(killed->second)));
}

// People.

// P8: a repeated request is answered alike.
void Checkers::replied(const std::string& request, const Result<Value>& result) {
  if (!result.ok() && result.status().code() == Code::unavailable) return;
  const std::string text = result.ok() ? to_json(*result) : result.status().text();
  const auto [first, is_new] = replies_.emplace(request, text);
  if (is_new || first->second == text) return;
  fail(cat("P8: request \"", request, "\" was answered by ", first->second, " and then by ", text));
}

void Checkers::acknowledged(const People::Request& request, ExperimentId experiment) {
  if (!world_.database.rows().experiments.contains(experiment)) {
    fail(cat("P1: experiment ", experiment, " was acknowledged, but is not stored"));
  }
  const bool ends = request.verb == Verb::kill || request.verb == Verb::cancel;
  if (ends) killed_.emplace(experiment, world_.queue.now());
}

// The end.

void Checkers::at_end() {
  metrics_are_stored();
  decisions_were_in_inbox();
  requests_had_one_effect();
  for (const auto& [id, row] : world_.database.rows().experiments) {
    search_equals_trials(id);
    const bool ended_so = row.state == ExperimentState::canceled ||
                          row.state == ExperimentState::completed ||
                          row.state == ExperimentState::error;
    if (killed_.contains(id) && !ended_so) fail(cat("P1: experiment ", id, " outlived its kill"));
  }
}

// P1: what was acknowledged to a rank is stored, once.
void Checkers::metrics_are_stored() {
  for (const auto& [id, speech] : speech_) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(speech.said.size()); ++i) {
      const Said& said = speech.said[static_cast<std::size_t>(i)];
      if (said.kind != RecordKind::metrics) continue;
      const auto& points = world_.database.points();
      const auto point = points.find({id.allocation, id.rank, said.body["group"].as_string(),
                                      "loss", said.body["step"].as_int()});
      const int stored = point == points.end() ? 0 : point->second;
      const bool acknowledged = i < speech.acknowledged;
      if (acknowledged && stored == 0) {
        return fail(cat("P1: the ", said.body["group"].as_string(), " metric of step ",
                        to_json(said.body["step"]), " of rank ", id.rank, " of allocation ",
                        id.allocation, " was acknowledged, but is not stored"));
      }
      if (stored > 1) {
        return fail(cat("a metric of rank ", id.rank, " of allocation ", id.allocation,
                        " is stored ", stored, " times"));
      }
    }
  }
}

// P1: what a decision needs was in the inbox.
void Checkers::decisions_were_in_inbox() {
  for (const auto& [id, speech] : speech_) {
    for (std::int64_t i = 0; i < speech.acknowledged; ++i) {
      const Said& said = speech.said[static_cast<std::size_t>(i)];
      const bool validation = id.rank == 0 && said.body["group"] == Value("validation");
      if (said.kind != RecordKind::checkpoint && !validation) continue;
      if (world_.database.was_in_inbox({id.allocation, id.rank, said.seq})) continue;
      return fail(cat("P1: a ", core::to_text(said.kind), " of step ", to_json(said.body["step"]),
                      " of allocation ", id.allocation, " never came into the inbox"));
    }
  }
}

void Checkers::requests_had_one_effect() {
  std::int64_t accepted = 0;
  for (const auto& request : world_.people.requests()) {
    if (!request.verb && request.answer.starts_with("{")) ++accepted;
  }
  const auto created = static_cast<std::int64_t>(world_.database.rows().experiments.size());
  if (created == accepted) return;
  fail(cat("P8: ", accepted, " submits made ", created, " experiments"));
}

// The search, replayed from its events, asked for the trials that there are and stopped those that
// are marked so (P5).
void Checkers::search_equals_trials(ExperimentId id) {
  const Rows& rows = world_.database.rows();
  const auto config = parse_config(rows.experiments.at(id).config, {});
  const auto events = rows.searcher_events.find(id);
  if (!config.ok() || events == rows.searcher_events.end()) {
    return fail(cat("experiment ", id, " has no usable search"));
  }
  const SearchStory story = replay(id, config->config, events->second);
  std::size_t trials = 0;
  for (const auto& [trial, row] : rows.trials) {
    if (row.experiment != id) continue;
    ++trials;
    const auto created = story.created.find(row.number);
    if (created == story.created.end() || created->second.hparams != row.hparams) {
      return fail(
          cat("search: trial ", trial, " is not what the search of experiment ", id, " asked for"));
    }
    if (row.stopped_by_searcher && !story.stopped.contains(row.number)) {
      return fail(cat("search: trial ", trial, " is marked stopped, but its search says no such"));
    }
    const auto exits = story.exits.find(row.number);
    const int told = exits == story.exits.end() ? 0 : exits->second;
    if (told != (row.exit_told ? 1 : 0)) {
      return fail(cat("search: the end of trial ", trial, " was told ", told, " times"));
    }
  }
  const bool goes_on = rows.experiments.at(id).state <= ExperimentState::paused;
  if (goes_on && trials != story.created.size()) {
    fail(cat("search: experiment ", id, " asked for ", story.created.size(), " trials, there are ",
             trials));
  }
}

}  // namespace dt::sim
