#include "sim/database.h"

#include <set>
#include <utility>

#include "core/experiment/attempt_end.h"
#include "formats/json.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: rows are this file's words

template <class Row, class Key>
void upsert(std::map<Key, Row>& rows, const std::vector<Row>& changed, Key Row::*key) {
  for (const Row& row : changed) rows.insert_or_assign(row.*key, row);
}

std::string node_text(const AllocationNode& node) {
  std::string text = cat(" [", node.agent, '/', node.first_rank, '/', node.slot_ids.size(), ' ',
                         core::to_text(node.phase), ' ', node.port, ' ', node.failure,
                         node.infrastructure ? " infra" : "", node.released ? " released" : "",
                         node.given_up ? " given up" : "");
  for (const RankExit& exit : node.exits) {
    text += cat(' ', exit.rank, '=', exit.code, was_read(node, exit.rank) ? "r" : "");
  }
  return text + "]";
}

}  // namespace

LoopState Database::take_over(const std::string& incarnation) {
  loop_state_.incarnation = incarnation;
  return loop_state_;
}

bool Database::commit(const LoopState& next, const Writes& writes) {
  const LoopState before{next.batch - 1, next.incarnation};
  if (loop_state_ != before) return false;
  loop_state_ = next;
  upsert(rows_.experiments, writes.experiments, &ExperimentRow::id);
  upsert(rows_.trials, writes.trials, &TrialRow::id);
  upsert(rows_.allocations, writes.allocations, &AllocationRow::id);
  upsert(rows_.checkpoints, writes.checkpoints, &CheckpointRow::id);
  upsert(rows_.agents, writes.agents, &AgentRow::id);
  upsert(rows_.requests, writes.requests, &RequestRow::request_id);
  upsert(rows_.snapshots, writes.searcher_snapshots, &SearcherSnapshotRow::experiment);
  for (const SearcherEventRow& row : writes.searcher_events) {
    rows_.searcher_events[row.experiment].push_back(row);
  }
  for (const InboxId id : writes.consumed) rows_.inbox.erase(id);
  if (writes.cluster) rows_.cluster = *writes.cluster;
  return true;
}

Recovered Database::load(Time now) const {
  Recovered loaded{.cluster = rows_.cluster};
  const auto is_live = [&](TrialId id) {
    return !is_terminal(rows_.experiments.at(rows_.trials.at(id).experiment).state);
  };
  for (const auto& [id, row] : rows_.experiments) {
    if (is_terminal(row.state)) continue;
    loaded.experiments.push_back(row);
    std::int64_t known = 0;
    if (const auto snapshot = rows_.snapshots.find(id); snapshot != rows_.snapshots.end()) {
      loaded.searcher_snapshots.push_back(snapshot->second);
      known = snapshot->second.number;
    }
    const auto events = rows_.searcher_events.find(id);
    if (events == rows_.searcher_events.end()) continue;
    for (const SearcherEventRow& event : events->second) {
      if (event.number > known) loaded.searcher_events.push_back(event);
    }
  }
  std::set<CheckpointId> latest_ones;
  for (const auto& [id, row] : rows_.trials) {
    if (!is_live(id)) continue;
    loaded.trials.push_back(row);
    latest_ones.insert(row.latest_checkpoint);
  }
  for (const auto& [id, row] : rows_.allocations) {
    if (row.state != AllocationState::ended) loaded.allocations.push_back(row);
  }
  std::set<CheckpointId> resumed;
  for (const AllocationRow& row : loaded.allocations) {
    if (row.order == Order::prepare) resumed.insert(row.resumed_from);
  }
  for (const auto& [id, row] : rows_.checkpoints) {
    const bool open =
        row.state == CheckpointState::pending || row.state == CheckpointState::abandoned;
    const bool latest = latest_ones.contains(id);
    const bool needed = open || latest || resumed.contains(id);
    if (is_live(row.trial) && needed) loaded.checkpoints.push_back(row);
  }
  for (const auto& [id, row] : rows_.agents) {
    if (!row.forgotten) loaded.agents.push_back(row);
  }
  for (const auto& [id, row] : rows_.requests) {
    if (from_ms(row.created_ms) + Duration(24 * 3600 * 1000) > now) loaded.requests.push_back(row);
  }
  for (const auto& [id, row] : rows_.inbox) loaded.inbox.push_back(row);
  return loaded;
}

void Database::insert(InboxRow& row) {
  row.id = {++last_inbox_};
  rows_.inbox.emplace(row.id, row);
}

std::optional<IngestPlan> Database::ingest(AllocationId allocation,
                                           const std::vector<Record>& records) {
  const auto known = rows_.allocations.find(allocation);
  if (known == rows_.allocations.end()) return std::nullopt;
  const IngestFacts facts{
      .allocation = allocation, .trial = known->second.trial, .attempt = known->second.attempt};
  IngestPlan plan = plan_ingest(facts, marks(allocation), records);
  for (InboxRow& row : plan.inbox) insert(row);
  marks_[allocation] = plan.marks;
  return plan;
}

Marks Database::marks(AllocationId allocation) const {
  const auto found = marks_.find(allocation);
  return found == marks_.end() ? Marks() : found->second;
}

std::optional<InboxRow> Database::store_part(const PartKey& key, bool damaged) {
  const auto known = rows_.allocations.find(key.allocation);
  if (known == rows_.allocations.end()) return std::nullopt;
  came_.emplace(key.checkpoint, key.part);
  if (!damaged) parts_.emplace(key.checkpoint, key.part);
  InboxRow row = part_stored_row(key.allocation, known->second.trial, key.checkpoint, key.part,
                                 damaged ? "its hash is wrong" : "");
  insert(row);
  return row;
}

std::string text_of(const AllocationRow& row) {
  std::string text =
      cat("allocation ", row.id, ' ', row.trial, ' ', row.attempt, ' ', core::to_text(row.state),
          ' ', core::to_text(row.order), ' ', row.resumed_from, ' ', row.outcome);
  for (const AllocationNode& node : row.nodes) text += node_text(node);
  return text;
}

}  // namespace dt::sim
