#include "master/rpc/search.h"

#include <algorithm>
#include <limits>

#include "core/experiment/search_view.h"
#include "core/search/play.h"
#include "formats/json.h"
#include "master/rpc/config_text.h"

namespace dt::master {
namespace {

namespace v1 = ::dovetail::v1;

int clamped(std::int64_t count) {
  return static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
}

void add_warnings(const core::ParsedConfig& parsed, const core::SearchPlay& play, bool has_seed,
                  v1::PreviewSearchResponse& response) {
  for (const std::string& warning : parsed.warnings) response.add_warnings(warning);
  if (const auto limit = parsed.config.searcher.max_wall_time_s) {
    response.add_warnings(cat("the search ends ", *limit,
                              " s after its submission, whatever it has by then",
                              " (searcher.max_wall_time_s)"));
  }
  if (play.trials_played < play.trials) {
    response.add_warnings(cat("the search is too large to play through: rungs and total are those ",
                              "of its first ", play.trials_played, " of ", play.trials, " trials"));
  }
  if (!has_seed) {
    response.add_warnings(
        "reproducibility.experiment_seed is not set: the search will draw other hyperparameters "
        "from the same space");
  }
}

}  // namespace

Status preview_search(const v1::PreviewSearchRequest& request,
                      v1::PreviewSearchResponse& response) {
  const Result<YamlDocument> document = read_config(request.config_yaml(), request.overrides());
  const std::vector<Status> problems = check_text(document);
  add_problems(problems, *response.mutable_errors());
  if (!problems.empty()) return {};
  const core::ParsedConfig parsed =
      TRY(core::parse_config(document->value, {.name = "preview"}));
  const core::TrialLength length = core::length_of(parsed);
  const core::SearchPlay play = core::play_search(parsed.config, length.length);
  const bool has_seed = !document->value["reproducibility"]["experiment_seed"].is_null();
  add_warnings(parsed, play, has_seed, response);
  response.set_searcher(core::name_of(parsed.config.searcher));
  response.set_trials(clamped(play.trials));
  for (const core::RungState& rung : play.rungs) {
    v1::PreviewRung* out = response.add_rungs();
    out->set_bracket(rung.bracket);
    out->set_units(rung.units);
    out->set_trials(rung.trials);
  }
  response.set_total_units(play.units);
  response.set_unit(length.unit);
  response.set_slots_per_trial(parsed.config.resources.slots_per_trial);
  response.set_max_concurrent_trials(play.concurrent);
  for (const Value& hparams : play.first_hparams) {
    response.add_first_hparams_json(to_json(hparams));
  }
  return {};
}

Status get_search(Store& store, ExperimentId experiment, v1::GetSearchResponse& response) {
  const StoredSearch stored = TRY(store.search_of(experiment));
  const core::SearchView view =
      TRY(core::view_search(stored.experiment, stored.snapshot, stored.events));
  response.set_searcher(view.searcher);
  response.set_unit(view.unit);
  response.set_trials_wanted(clamped(view.trials_wanted));
  for (const core::RungState& rung : view.rungs) {
    v1::SearchRung* out = response.add_rungs();
    out->set_bracket(rung.bracket);
    out->set_units(rung.units);
    out->set_trials(rung.trials);
    out->set_continued(rung.continued);
    out->set_stopped(rung.stopped);
    out->set_paused(rung.paused);
    if (rung.best) out->set_best_metric(*rung.best);
  }
  return {};
}

}  // namespace dt::master
