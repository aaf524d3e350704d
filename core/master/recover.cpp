// From rows to memory and back. Deadlines start again (we were away, not the agents); links,
// sessions in use and waits between failed starts are gone, and nothing that matters hangs on them.
#include <algorithm>
#include <tuple>

#include "core/master/allocations.h"
#include "core/master/checkpoints.h"
#include "core/master/experiments.h"
#include "core/master/inbox.h"
#include "core/master/state.h"

namespace dt::core {
namespace {

using Broken = std::map<ExperimentId, std::string>;  // cannot go on, and why

Status restore_search(SearchLog& search, const ExperimentRow& row, const Recovered& recovered) {
  std::optional<SearcherSnapshotRow> snapshot;
  for (const SearcherSnapshotRow& one : recovered.searcher_snapshots) {
    if (one.experiment == row.id) snapshot = one;
  }
  std::vector<SearcherEventRow> events;
  for (const SearcherEventRow& event : recovered.searcher_events) {
    if (event.experiment == row.id) events.push_back(event);
  }
  std::sort(events.begin(), events.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  TRY(search.restore(snapshot, events));
  if (search.events() == row.searcher_events) return {};
  return data_loss("the search of experiment ", row.id, " has ", search.events(), " of ",
                   row.searcher_events, " events");
}

void load_experiment(Book& book, const ExperimentRow& row, const Recovered& recovered,
                     Broken& broken) {
  const Result<ParsedConfig> parsed = parse_config(row.config, {});
  const ExperimentConfig config = parsed.ok() ? parsed->config : ExperimentConfig{};
  SearchLog search(row.id, config);
  const Status restored =
      parsed.ok() ? restore_search(search, row, recovered) : Status(parsed.status());
  if (!restored.ok()) {
    search.close();
    broken.emplace(row.id, cat("cannot go on after a restart: ", restored.message()));
  }
  book.experiments.emplace(row.id,
                           Experiment{.row = row, .config = config, .search = std::move(search)});
  book.changed_experiments.insert(row.id);
  if (config.searcher.max_wall_time_s) book.time_limited.insert(row.id);
}

void load_trial(Book& book, const TrialRow& row) {
  Experiment* experiment = book.find(row.experiment);
  if (experiment == nullptr) return;
  experiment->trials.emplace(row.number, row.id);
  if (!row.exit_told) experiment->search.set_trial_progress(row.number, row.progress);
  book.trials.emplace(row.id, TrialMemory{.row = row});
}

void load_allocation(Step& step, const AllocationRow& row) {
  Book& book = step.book;
  book.allocations.emplace(
      row.id, AllocationMemory{.row = row, .since = step.now, .upload_moved = step.now});
  for (const AllocationNode& node : row.nodes) book.shares[node.agent].insert(row.id);
  book.changed_allocations.insert(row.id);
  if (TrialMemory* trial = book.find(row.trial)) {
    trial->live = row.id;
    return;
  }
  // Its experiment is over: nobody wants it, so agents kill what is left of it.
  AllocationRow& edited = book.edit(row.id);
  edited.state = AllocationState::ended;
  edited.ended_ms = to_ms(step.now);
}

// An attempt that still prepares must name the files it resumes from.
void withdraw_if_unprepared(Step& step, AllocationId id) {
  const AllocationRow& row = step.book.allocations.at(id).row;
  const bool needs = row.order == Order::prepare && row.resumed_from;
  if (needs && !step.book.checkpoints.contains(row.resumed_from)) withdraw(step, id);
}

// Rather from the start than never: the row that it would resume from was not given to us.
void forget_missing_checkpoint(Step& step, const TrialRow& row) {
  const TrialMemory* trial = step.book.find(row.id);
  if (trial == nullptr || !row.latest_checkpoint) return;
  if (step.book.checkpoints.contains(row.latest_checkpoint)) return;
  step.book.edit(row.id).latest_checkpoint = {};
}

void note_inherited(Book& book, const TrialRow& row) {
  const auto latest = book.checkpoints.find(row.latest_checkpoint);
  const bool of_another = latest != book.checkpoints.end() && latest->second.trial != row.id;
  if (of_another) book.inherited.insert(latest->first);
}

void load_agents(Step& step, const std::vector<AgentRow>& rows) {
  for (const AgentRow& row : rows) {
    if (row.forgotten) continue;
    step.book.agents.emplace(row.id, AgentMemory{.row = row, .last_word = step.now});
    if (row.connected) step.book.edit(row.id).connected = false;
  }
}

void load_requests(Book& book, std::vector<RequestRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const RequestRow& a, const RequestRow& b) {
    return std::tie(a.created_ms, a.request_id) < std::tie(b.created_ms, b.request_id);
  });
  for (RequestRow& row : rows) {
    book.request_order.push_back(row.request_id);
    book.requests.emplace(row.request_id, std::move(row));
  }
}

}  // namespace

Effects Master::recover(Time now, const Recovered& recovered) {
  VERIFY(!state_->recovered, "recover() is called once");
  state_->recovered = true;
  Book& book = state_->book;
  Effects effects;
  Step step{book, now, effects};
  Broken broken;
  book.start(recovered.cluster);
  for (const auto& row : recovered.experiments) load_experiment(book, row, recovered, broken);
  for (const TrialRow& row : recovered.trials) load_trial(book, row);
  for (const CheckpointRow& row : recovered.checkpoints) {
    if (book.find(row.trial) == nullptr) continue;
    book.checkpoints.emplace(row.id, row);
    book.perhaps_superseded.insert(row.id);
  }
  for (const TrialRow& row : recovered.trials) {
    if (!is_terminal(row.state)) forget_missing_checkpoint(step, row);
    note_inherited(book, row);
  }
  load_agents(step, recovered.agents);
  load_requests(book, recovered.requests);
  for (const AllocationRow& row : recovered.allocations) load_allocation(step, row);
  for (const AllocationRow& row : recovered.allocations) withdraw_if_unprepared(step, row.id);
  for (const auto& [id, why] : broken) fail_experiment(step, id, why);
  read_inbox(step, recovered.inbox);
  state_->finish(step);
  return effects;
}

void Master::recall(Time now, const Recovered& ended) {
  Book& book = state_->book;
  Effects effects;
  Step step{book, now, effects};
  Broken broken;
  for (const auto& row : ended.experiments) {
    if (book.find(row.id) == nullptr) load_experiment(book, row, ended, broken);
  }
  for (const TrialRow& row : ended.trials) {
    if (book.find(row.id) == nullptr) load_trial(book, row);
  }
  for (const CheckpointRow& row : ended.checkpoints) {
    book.checkpoints.try_emplace(row.id, row);
    book.perhaps_superseded.insert(row.id);
  }
  for (const TrialRow& row : ended.trials) {
    forget_missing_checkpoint(step, row);
    note_inherited(book, row);
  }
}

Recovered Master::dump() const {
  const Book& book = state_->book;
  Recovered dump{.cluster = book.cluster};
  for (const auto& [id, experiment] : book.experiments) {
    dump.experiments.push_back(experiment.row);
    const SearchLog& search = experiment.search;
    if (search.snapshot()) dump.searcher_snapshots.push_back(*search.snapshot());
    dump.searcher_events.insert(dump.searcher_events.end(), search.recent().begin(),
                                search.recent().end());
  }
  for (const auto& [id, trial] : book.trials) dump.trials.push_back(trial.row);
  for (const auto& [id, allocation] : book.allocations) dump.allocations.push_back(allocation.row);
  for (const auto& [id, checkpoint] : book.checkpoints) {
    if (is_recovered(book, checkpoint)) dump.checkpoints.push_back(checkpoint);
  }
  for (const auto& [id, agent] : book.agents) dump.agents.push_back(agent.row);
  for (const auto& [id, request] : book.requests) dump.requests.push_back(request);
  return dump;
}

}  // namespace dt::core
