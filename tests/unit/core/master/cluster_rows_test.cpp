// The store of the scenario tests' Cluster: rows by key.
#include <algorithm>
#include <set>

#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

template <class Row, class Key>
void upsert(std::map<Key, Row>& rows, const std::vector<Row>& changed, Key Row::*key) {
  for (const Row& row : changed) rows.insert_or_assign(row.*key, row);
}

}  // namespace

void Rows::write(const Writes& writes) {
  upsert(experiments, writes.experiments, &ExperimentRow::id);
  upsert(trials, writes.trials, &TrialRow::id);
  upsert(allocations, writes.allocations, &AllocationRow::id);
  upsert(checkpoints, writes.checkpoints, &CheckpointRow::id);
  upsert(agents, writes.agents, &AgentRow::id);
  upsert(requests, writes.requests, &RequestRow::request_id);
  upsert(snapshots, writes.searcher_snapshots, &SearcherSnapshotRow::experiment);
  for (const SearcherEventRow& row : writes.searcher_events) {
    auto& log = events[row.experiment];
    EXPECT_EQ(row.number, static_cast<std::int64_t>(log.size()) + 1) << "events only append";
    log.push_back(row);
  }
  for (const ChangeRow& row : writes.changes) {
    EXPECT_EQ(row.sequence, static_cast<std::int64_t>(changes.size()) + 1);
    changes.push_back(row);
  }
  for (const InboxId id : writes.consumed)
    EXPECT_EQ(inbox.erase(id), 1u) << "inbox row " << id.value;
  for (const CheckpointId& id : writes.deleted_checkpoints) {
    checkpoints.at(id).state = CheckpointState::deleted;
  }
  for (const ExperimentId id : writes.erased) {
    experiments.erase(id);
    events.erase(id);
    std::erase_if(trials, [&](const auto& entry) { return entry.second.experiment == id; });
    std::erase_if(checkpoints,
                  [&](const auto& entry) { return !trials.contains(entry.second.trial); });
  }
  if (writes.cluster) cluster = *writes.cluster;
}

// Experiments with all that goes with them.
template <class IsWanted>
void Rows::add_experiments(Recovered& loaded, const IsWanted& is_wanted) const {
  for (const auto& [id, row] : experiments) {
    if (!is_wanted(row)) continue;
    loaded.experiments.push_back(row);
    std::int64_t known = 0;
    if (const auto snapshot = snapshots.find(id); snapshot != snapshots.end()) {
      loaded.searcher_snapshots.push_back(snapshot->second);
      known = snapshot->second.number;
    }
    for (const SearcherEventRow& event : events.at(id)) {
      if (event.number > known) loaded.searcher_events.push_back(event);
    }
  }
  std::set<CheckpointId> resumed;
  for (const auto& [id, row] : allocations) {
    if (row.state == AllocationState::ended) continue;
    if (row.order == Order::prepare) resumed.insert(row.resumed_from);
  }
  std::set<CheckpointId> latest_ones;
  for (const auto& [id, row] : trials) {
    if (!is_wanted(experiments.at(row.experiment))) continue;
    loaded.trials.push_back(row);
    latest_ones.insert(row.latest_checkpoint);
  }
  for (const auto& [id, row] : checkpoints) {
    const bool open =
        row.state == CheckpointState::pending || row.state == CheckpointState::abandoned;
    const bool needed = open || latest_ones.contains(id) || resumed.contains(id);
    const ExperimentId experiment = trials.at(row.trial).experiment;
    if (needed && is_wanted(experiments.at(experiment))) loaded.checkpoints.push_back(row);
  }
}

Recovered Rows::load(Time now) const {
  Recovered loaded{.cluster = cluster};
  add_experiments(loaded, [](const ExperimentRow& row) { return !is_terminal(row.state); });
  for (const auto& [id, row] : allocations) {
    if (row.state != AllocationState::ended) loaded.allocations.push_back(row);
  }
  for (const auto& [id, row] : agents) {
    if (!row.forgotten) loaded.agents.push_back(row);
  }
  for (const auto& [id, row] : requests) {
    if (from_ms(row.created_ms) + Duration(24 * 3600 * 1000) > now) loaded.requests.push_back(row);
  }
  for (const auto& [id, row] : inbox) loaded.inbox.push_back(row);
  return loaded;
}

Recovered Rows::load_ended(const std::vector<ExperimentId>& ids) const {
  Recovered loaded;
  add_experiments(loaded, [&](const ExperimentRow& row) {
    return std::find(ids.begin(), ids.end(), row.id) != ids.end();
  });
  return loaded;
}

}  // namespace dt::core
