#include "sim/search_laws.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "formats/json.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: rows are this file's words

bool same(const std::optional<double>& a, const std::optional<double>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a || *a == *b || (std::isnan(*a) && std::isnan(*b));
}

bool goes_on(ExperimentState state) { return state <= ExperimentState::paused; }

std::int64_t points_of(const Value& parameter) {
  const std::string type =
      parameter["type"].is_string() ? parameter["type"].as_string() : std::string("const");
  if (type == "int" && parameter["count"].is_int()) {
    const std::int64_t range = parameter["maxval"].as_int() - parameter["minval"].as_int() + 1;
    return std::min(parameter["count"].as_int(), range);
  }
  return type == "categorical" ? std::ssize(parameter["vals"].as_array()) : 1;
}

bool varies(const Value& parameter) {
  return parameter["type"].is_string() && parameter["type"] != Value("const");
}

// Is the value of this kind, within the bounds of its space?
bool is_within(const Value& parameter, const Value& value, bool is_grid) {
  if (!parameter["type"].is_string()) return true;
  const std::string& type = parameter["type"].as_string();
  if (type == "categorical") {
    const Value::Array& vals = parameter["vals"].as_array();
    return std::find(vals.begin(), vals.end(), value) != vals.end();
  }
  if (type != "int" && type != "double" && type != "log") return true;
  if (!value.is_number() || (type == "int" && !value.is_int())) return false;
  const double low = parameter["minval"].as_double();
  const double high = parameter["maxval"].as_double();
  if (type == "log") {
    const double base = parameter["base"].as_double();
    return value.as_double() >= std::pow(base, low) * (1 - 1e-12) &&
           value.as_double() <= std::pow(base, high) * (1 + 1e-12);
  }
  if (type == "int" && !is_grid) return value.as_double() >= low && value.as_double() < high;
  return value.as_double() >= low && value.as_double() <= high;
}

const AllocationNode& node_of_first_rank(const AllocationRow& row) { return row.nodes.front(); }

bool better(const Value& config, double value, const std::optional<double>& best) {
  if (std::isnan(value)) return false;
  const bool smaller = config["searcher"]["smaller_is_better"] != Value(false);
  return !best || (smaller ? value < *best : value > *best);
}

const char* reason_of(const TrialRow& row) {
  if (row.state == TrialState::error) return "errored";
  if (row.state == TrialState::canceled) return "user_cancelled";
  return row.message.starts_with("invalid hyperparameters") ? "invalid_hp" : "completed";
}

}  // namespace

SearchLaws::Search& SearchLaws::search_of(const ExperimentRow& row) {
  const auto [found, is_new] = searches_.try_emplace(row.id);
  Search& search = found->second;
  if (!is_new) return search;
  search.config = row.config;
  bool any_varies = false;
  std::int64_t points = 1;
  for (const auto& [name, parameter] : row.config["hyperparameters"].as_object()) {
    any_varies |= varies(parameter);
    points *= points_of(parameter);
  }
  search.model = SearchModel::of(row.config["searcher"], any_varies, points);
  const auto config = parse_config(row.config, {});
  if (config.ok()) search.fresh = std::make_unique<SearchLog>(row.id, config->config);
  return search;
}

// What was told and not committed was told to nobody.
void SearchLaws::master_starts(const Rows& rows) {
  for (const auto& [id, row] : rows.experiments) {
    const auto known = searches_.find(id);
    const auto events = rows.searcher_events.find(id);
    const std::int64_t committed =
        events == rows.searcher_events.end() ? 0 : std::ssize(events->second);
    if (known != searches_.end() && known->second.events == committed) continue;
    searches_.erase(id);
    Search& search = search_of(row);
    for (std::int64_t i = 0; i < committed; ++i) {
      replay(events->second[static_cast<std::size_t>(i)], search);
    }
  }
  std::erase_if(searches_, [&](const auto& one) { return !rows.experiments.contains(one.first); });
  for (auto& [id, search] : searches_) {
    search.created = 0;
    search.ids.clear();
    search.stopped.clear();
  }
  for (const auto& [id, row] : rows.trials) {
    Search& search = searches_.at(row.experiment);
    ++search.created;
    search.ids.push_back(id);
    if (row.stopped_by_searcher) search.stopped.insert(row.number);
  }
}

void SearchLaws::replay(const SearcherEventRow& row, Search& search) {
  ++search.events;
  const Value& event = row.event;
  if (search.model) search.model->hear(event);
  hear_fresh(event, search);
  if (event["event"] == Value("start")) return;
  Trial& trial = search.trials[event["trial"].as_int()];
  if (event["event"] == Value("exited")) {
    ++trial.exits;
    return;
  }
  const double metric = number_of(event["metric"]).value_or(0);
  trial.last_step = event["step"].as_int();
  trial.latest = metric;
  if (better(search.config, metric, trial.best)) trial.best = metric;
  if (better(search.config, metric, search.best)) search.best = metric;
}

void SearchLaws::hear_fresh(const Value& event, Search& search) {
  if (!search.fresh) return;
  Writes unused;
  for (const SearchOperation& operation : search.fresh->append(event, unused)) {
    if (const auto* create = std::get_if<CreateTrial>(&operation)) {
      search.asked.emplace(create->trial, *create);
    } else if (const auto* stop = std::get_if<StopTrial>(&operation)) {
      search.told_to_stop.insert(stop->trial);
    }
  }
}

Breach SearchLaws::check(const Turn& turn) {
  for (const SearcherEventRow& row : turn.writes().searcher_events) {
    if (Breach breach = hear(turn, row); !breach.empty()) {
      return cat("search of experiment ", row.experiment, ": ", breach);
    }
  }
  for (const TrialRow& row : turn.writes().trials) {
    if (Breach breach = trial_agrees(turn, row); !breach.empty()) {
      return cat("trial ", row.id, ' ', breach);
    }
  }
  for (const ExperimentRow& row : turn.writes().experiments) {
    if (Breach breach = experiment_agrees(turn, row); !breach.empty()) {
      return cat("experiment ", row.id, ' ', breach);
    }
  }
  return heard_all(turn);
}

Breach SearchLaws::hear(const Turn& turn, const SearcherEventRow& row) {
  const ExperimentRow* experiment = turn.after(row.experiment);
  if (experiment == nullptr) return "nobody searches";
  Search& search = search_of(*experiment);
  if (row.number != search.events + 1) {
    return cat("event ", row.number, " follows event ", search.events);
  }
  const Value& event = row.event;
  Breach breach;
  if (event["event"] == Value("validation")) {
    breach = hear_validation(turn, search, event);
  } else if (event["event"] == Value("exited")) {
    breach = hear_exit(turn, *experiment, search, event);
  }
  replay(row, search);
  return breach;
}

// The inbox row that this turn reads and that says so; null: none.
const InboxRow* SearchLaws::source_of(const Turn& turn, TrialId trial, std::int64_t step) const {
  const auto says_so = [&](const InboxRow& row) {
    return row.kind == RecordKind::metrics && row.trial == trial && row.stream == 0 &&
           row.body["step"] == Value(step);
  };
  const auto found = std::find_if(turn.inbox.begin(), turn.inbox.end(), says_so);
  return found == turn.inbox.end() ? nullptr : &*found;
}

Breach SearchLaws::hear_validation(const Turn& turn, const Search& search,
                                   const Value& event) const {
  const std::int64_t number = event["trial"].as_int();
  const std::int64_t step = event["step"].as_int();
  const bool known = number >= 0 && number < std::ssize(search.ids);
  const TrialId id = known ? search.ids[static_cast<std::size_t>(number)] : TrialId{};
  const InboxRow* source = source_of(turn, id, step);
  if (source == nullptr) return cat("it hears ", to_json(event), ", which nobody said");
  const std::optional<double> said =
      number_of(source->body["values"][search.config["searcher"]["metric"].as_string()]);
  if (!same(said, number_of(event["metric"]))) return cat("it hears another value at step ", step);
  if (event["time"] != source->body["values"]["batches"]) return "it hears another time";
  const AllocationRow* attempt = Turn::find(turn.before.allocations, source->allocation);
  const bool open = attempt != nullptr && attempt->state < AllocationState::settling &&
                    !node_of_first_rank(*attempt).given_up;
  if (!open) return cat("P4: allocation ", source->allocation, " is over, but is judged");
  const auto heard = search.trials.find(number);
  const Trial trial = heard == search.trials.end() ? Trial() : heard->second;
  if (trial.exits > 0) return cat("trial ", number, " is over, but is judged");
  if (step > trial.last_step) return "";
  return cat("step ", step, " of trial ", number, " is judged after step ", trial.last_step);
}

Breach SearchLaws::hear_exit(const Turn& turn, const ExperimentRow& experiment, Search& search,
                             const Value& event) {
  const std::int64_t number = event["trial"].as_int();
  if (search.trials[number].exits > 0) return cat("trial ", number, " ends twice");
  for (const TrialRow& row : turn.writes().trials) {
    if (row.experiment != experiment.id || row.number != number) continue;
    if (event["reason"] == Value(reason_of(row))) return "";
    return cat("trial ", number, " is told to be ", to_json(event["reason"]), ", but it is ",
               core::to_text(row.state));
  }
  return cat("trial ", number, " is told to be over, but is not");
}

// A validation beyond all earlier steps of a trial that runs on is heard in the step that reads it.
Breach SearchLaws::heard_all(const Turn& turn) const {
  for (const InboxRow& row : turn.inbox) {
    if (Breach breach = must_hear(turn, row); !breach.empty()) return breach;
  }
  const auto& consumed = turn.writes().consumed;
  const bool all =
      std::equal(consumed.begin(), consumed.end(), turn.inbox.begin(), turn.inbox.end(),
                 [](InboxId id, const InboxRow& row) { return id == row.id; });
  return all ? "" : "P1: other inbox rows are consumed than were read";
}

Breach SearchLaws::must_hear(const Turn& turn, const InboxRow& row) const {
  if (row.kind != RecordKind::metrics) return "";
  const AllocationRow* was = Turn::find(turn.before.allocations, row.allocation);
  const AllocationRow* is = turn.after(row.allocation);
  const TrialRow* trial = turn.after(row.trial);
  const bool open =
      was != nullptr && is->state < AllocationState::settling && !node_of_first_rank(*is).given_up;
  const bool runs = trial->state == TrialState::active || trial->state == TrialState::paused;
  const ExperimentRow* experiment = turn.after(trial->experiment);
  const bool is_searched = goes_on(experiment->state) && !experiment->searcher_done;
  if (!open || !runs || trial->stopped_by_searcher || !is_searched) return "";
  const Search& search = searches_.at(trial->experiment);
  if (!number_of(row.body["values"][search.config["searcher"]["metric"].as_string()])) return "";
  const auto heard = search.trials.find(trial->number);
  const std::int64_t last = heard == search.trials.end() ? -1 : heard->second.last_step;
  if (row.body["step"].as_int() <= last) return "";
  return cat("P1: the metric of step ", to_json(row.body["step"]), " of trial ", row.trial,
             " was read, but its search never heard it");
}

Breach SearchLaws::trial_agrees(const Turn& turn, const TrialRow& row) {
  Search& search = search_of(*turn.after(row.experiment));
  if (!turn.before.trials.contains(row.id)) {
    if (row.number != search.created) return "is not the next of its search";
    ++search.created;
    search.ids.push_back(row.id);
    if (Breach breach = asked_for(search, row); !breach.empty()) return breach;
    const bool is_grid = search.config["searcher"]["name"] == Value("grid");
    for (const auto& [name, parameter] : search.config["hyperparameters"].as_object()) {
      if (!is_within(parameter, row.hparams[name], is_grid)) {
        return cat("has ", name, " = ", to_json(row.hparams[name]), ", which is not in its space");
      }
    }
  }
  if (row.stopped_by_searcher) search.stopped.insert(row.number);
  if (row.stopped_by_searcher && !search.told_to_stop.contains(row.number)) {
    return "P5: is stopped, but its search did not say so";
  }
  if (Breach breach = pause_breach(turn, search, row); !breach.empty()) return breach;
  const Trial& heard = search.trials[row.number];
  const ExperimentRow& experiment = *turn.after(row.experiment);
  const bool is_searched = goes_on(experiment.state) && !experiment.searcher_done;
  const bool told = heard.exits == 1;
  if (told != row.exit_told) return cat("was told to be over ", heard.exits, " times");
  if (!is_searched) return "";  // what still comes is shown and judged by nobody
  if (!same(row.latest_metric, heard.latest)) return "shows another metric than its search heard";
  if (!same(row.best_metric, heard.best)) return "shows another best metric than its search heard";
  if (heard.latest && row.latest_step != heard.last_step) return "shows another step";
  return "";
}

// A trial of an active experiment waits exactly when its search has paused it.
Breach SearchLaws::pause_breach(const Turn& turn, const Search& search, const TrialRow& row) const {
  if (!search.fresh) return "";
  const bool by_search = search.fresh->is_paused(row.number);
  if (row.state == TrialState::active && by_search)
    return "P5: is active, but its search paused it";
  const bool active = turn.after(row.experiment)->state == ExperimentState::active;
  const bool waits = row.state == TrialState::paused && active && !by_search;
  return waits ? "P5: is paused by nobody" : "";
}

Breach SearchLaws::experiment_agrees(const Turn& turn, const ExperimentRow& row) {
  const Search& search = search_of(row);
  if (row.searcher_events != search.events) {
    return cat("counts ", row.searcher_events, " events of ", search.events);
  }
  if (!goes_on(row.state) || row.searcher_done) return "";  // what still comes is judged by nobody
  if (!same(row.best_metric, search.best)) return "shows another best metric than was heard";
  const ExperimentRow* was = Turn::find(turn.before.experiments, row.id);
  if (!search.model || (was != nullptr && !goes_on(was->state))) return "";
  if (search.model->created() != search.created) {
    return cat("has ", search.created, " trials, but its search wants ", search.model->created());
  }
  if (search.model->stopped() != search.stopped) return "stops other trials than its search";
  return search.model->is_done() ? "P6: goes on, though its search is done" : "";
}

// A search that hears the same events, without a fault between, asks for the same trials (P5).
Breach SearchLaws::asked_for(const Search& search, const TrialRow& row) const {
  if (!search.fresh) return "";
  const auto asked = search.asked.find(row.number);
  const bool same_trial = asked != search.asked.end() && asked->second.hparams == row.hparams &&
                          asked->second.request_id == row.request_id &&
                          asked->second.trial_seed == row.seed;
  return same_trial ? "" : "P5: is not what its search asks for";
}

}  // namespace dt::sim
