#include "core/master/writes.h"

#include <iterator>
#include <map>
#include <utility>

namespace dt::core {
namespace {

template <class Row, class Key>
void merge_rows(std::vector<Row>& batch, std::vector<Row>&& step, Key Row::*key) {
  if (step.empty()) return;
  std::map<Key, std::size_t> place;
  for (std::size_t i = 0; i < batch.size(); ++i) place[batch[i].*key] = i;
  for (Row& row : step) {
    const auto [it, is_new] = place.try_emplace(row.*key, batch.size());
    if (is_new) {
      batch.push_back(std::move(row));
    } else {
      batch[it->second] = std::move(row);
    }
  }
}

template <class Row>
void append(std::vector<Row>& batch, std::vector<Row>&& step) {
  batch.insert(batch.end(), std::make_move_iterator(step.begin()),
               std::make_move_iterator(step.end()));
}

}  // namespace

void merge(Writes& batch, Writes step) {
  merge_rows(batch.experiments, std::move(step.experiments), &ExperimentRow::id);
  merge_rows(batch.trials, std::move(step.trials), &TrialRow::id);
  merge_rows(batch.allocations, std::move(step.allocations), &AllocationRow::id);
  merge_rows(batch.checkpoints, std::move(step.checkpoints), &CheckpointRow::id);
  merge_rows(batch.agents, std::move(step.agents), &AgentRow::id);
  merge_rows(batch.searcher_snapshots, std::move(step.searcher_snapshots),
             &SearcherSnapshotRow::experiment);
  merge_rows(batch.requests, std::move(step.requests), &RequestRow::request_id);
  append(batch.searcher_events, std::move(step.searcher_events));
  append(batch.provenances, std::move(step.provenances));
  append(batch.changes, std::move(step.changes));
  append(batch.consumed, std::move(step.consumed));
  append(batch.deleted_checkpoints, std::move(step.deleted_checkpoints));
  append(batch.erased, std::move(step.erased));
  if (step.cluster) batch.cluster = std::move(step.cluster);
}

}  // namespace dt::core
