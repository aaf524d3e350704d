#include "core/master/book.h"

#include <utility>

namespace dt::core {
namespace {

template <class Map, class Key>
auto& must_find(Map& map, const Key& id) {
  const auto found = map.find(id);
  VERIFY(found != map.end(), "no row ", to_text(id));
  return found->second;
}

template <class Map, class Key>
auto* may_find(Map& map, const Key& id) {
  const auto found = map.find(id);
  return found == map.end() ? nullptr : &found->second;
}

template <class Row, class Key>
Row& remember(std::map<Key, std::optional<Row>>& before, const Key& id, Row& row) {
  before.try_emplace(id, row);
  return row;
}

// Rows that were edited and differ; a row that came and went within the step is written too.
template <class Row, class Key, class Now, class Tell>
void collect_rows(std::map<Key, std::optional<Row>>& before, std::vector<Row>& out, const Now& now,
                  const Tell& tell) {
  for (const auto& [id, old] : before) {
    const Row& row = now(id);
    if (old && *old == row) continue;
    out.push_back(row);
    tell(row);
  }
  before.clear();
}

}  // namespace

ExperimentRow& Book::edit(ExperimentId id) {
  changed_experiments.insert(id);
  return remember(experiments_before_, id, must_find(experiments, id).row);
}
TrialRow& Book::edit(TrialId id) {
  TrialRow& row = must_find(trials, id).row;
  changed_experiments.insert(row.experiment);
  perhaps_superseded.insert(row.latest_checkpoint);
  return remember(trials_before_, id, row);
}
AllocationRow& Book::edit(AllocationId id) {
  AllocationRow& row = must_find(allocations, id).row;
  changed_allocations.insert(id);
  changed_experiments.insert(row.experiment);
  for (const AllocationNode& node : row.nodes) agents_to_answer.insert(node.agent);
  perhaps_superseded.insert(row.resumed_from);
  return remember(allocations_before_, id, row);
}
CheckpointRow& Book::edit(const CheckpointId& id) {
  CheckpointRow& row = must_find(checkpoints, id);
  changed_allocations.insert(row.allocation);
  perhaps_superseded.insert(id);
  return remember(checkpoints_before_, id, row);
}
AgentRow& Book::edit(const AgentId& id) {
  return remember(agents_before_, id, must_find(agents, id).row);
}

AgentRow& Book::add(AgentMemory agent) {
  const AgentId id = agent.row.id;
  agents_before_.try_emplace(id, std::nullopt);
  return agents.insert_or_assign(id, std::move(agent)).first->second.row;
}
TrialRow& Book::add(TrialMemory trial) {
  const TrialId id = trial.row.id;
  trials_before_.try_emplace(id, std::nullopt);
  changed_experiments.insert(trial.row.experiment);
  return trials.insert_or_assign(id, std::move(trial)).first->second.row;
}
AllocationRow& Book::add(AllocationMemory allocation) {
  const AllocationId id = allocation.row.id;
  allocations_before_.try_emplace(id, std::nullopt);
  for (const AllocationNode& node : allocation.row.nodes) shares[node.agent].insert(id);
  allocations.insert_or_assign(id, std::move(allocation));
  return edit(id);
}
CheckpointRow& Book::add(CheckpointRow checkpoint) {
  const CheckpointId id = checkpoint.id;
  checkpoints_before_.try_emplace(id, std::nullopt);
  checkpoints.insert_or_assign(id, std::move(checkpoint));
  return edit(id);
}
Experiment& Book::add(Experiment experiment) {
  const ExperimentId id = experiment.row.id;
  experiments_before_.try_emplace(id, std::nullopt);
  changed_experiments.insert(id);
  if (experiment.config.searcher.max_wall_time_s) time_limited.insert(id);
  return experiments.emplace(id, std::move(experiment)).first->second;
}

TrialMemory* Book::find(TrialId id) { return may_find(trials, id); }
AllocationMemory* Book::find(AllocationId id) { return may_find(allocations, id); }
Experiment* Book::find(ExperimentId id) { return may_find(experiments, id); }
AgentMemory* Book::find(const AgentId& id) { return may_find(agents, id); }
TrialMemory& Book::at(TrialId id) { return must_find(trials, id); }
Experiment& Book::at(ExperimentId id) { return must_find(experiments, id); }

void Book::must_schedule(ExperimentId id) {
  const Experiment* experiment = find(id);
  if (experiment != nullptr) must_schedule(experiment->config.resources.resource_pool);
}

void Book::collect(Writes& writes) {
  const auto tell = [&](const char* kind, std::string id, ExperimentId experiment) {
    writes.changes.push_back({.sequence = ++cluster.last_change,
                              .kind = kind,
                              .id = std::move(id),
                              .experiment = experiment});
  };
  collect_rows(
      experiments_before_, writes.experiments, [&](auto id) -> auto& { return at(id).row; },
      [&](const ExperimentRow& row) { tell("experiment", to_text(row.id), row.id); });
  collect_rows(
      trials_before_, writes.trials, [&](auto id) -> auto& { return at(id).row; },
      [&](const TrialRow& row) { tell("trial", to_text(row.id), row.experiment); });
  collect_rows(
      allocations_before_,
      writes.allocations, [&](auto id) -> auto& { return must_find(allocations, id).row; },
      [&](const AllocationRow& row) { tell("allocation", to_text(row.id), row.experiment); });
  collect_rows(
      checkpoints_before_,
      writes.checkpoints, [&](const auto& id) -> auto& { return must_find(checkpoints, id); },
      [&](const CheckpointRow& row) {
        const TrialMemory* trial = find(row.trial);
        tell("checkpoint", to_text(row.id), trial ? trial->row.experiment : ExperimentId{});
      });
  collect_rows(
      agents_before_,
      writes.agents, [&](const auto& id) -> auto& { return must_find(agents, id).row; },
      [&](const AgentRow& row) { tell("agent", to_text(row.id), {}); });
  for (const Gone& gone : std::exchange(gone_, {})) tell(gone.kind, gone.id, gone.experiment);
  if (cluster == cluster_before_) return;
  cluster_before_ = cluster;
  writes.cluster = cluster;
}

void Book::forget_ended(const Writes& writes) {
  for (const AllocationRow& row : writes.allocations) {
    if (row.state != AllocationState::ended) continue;
    for (const AllocationNode& node : row.nodes) {
      const auto found = shares.find(node.agent);
      if (found == shares.end()) continue;
      found->second.erase(row.id);
      if (found->second.empty()) shares.erase(found);
    }
    allocations.erase(row.id);
  }
  for (const ExperimentId id : std::exchange(changed_experiments, {})) {
    const Experiment* experiment = find(id);
    if (experiment != nullptr && is_terminal(experiment->row.state)) forget(id);
  }
  for (const AgentRow& row : writes.agents) {
    if (row.forgotten) agents.erase(row.id);
  }
}

void Book::forget(ExperimentId id) {
  std::erase_if(checkpoints, [&](const auto& entry) {
    const TrialMemory* trial = find(entry.second.trial);
    return trial == nullptr || trial->row.experiment == id;
  });
  for (const auto& [number, trial] : at(id).trials) trials.erase(trial);
  experiments.erase(id);
  time_limited.erase(id);
}

}  // namespace dt::core
