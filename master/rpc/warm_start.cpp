#include "master/rpc/warm_start.h"

#include "core/search/point.h"

namespace dt::master {
namespace {

Status wrong(ExperimentId id, const std::string& problem) {
  return invalid_argument("searcher.warm_start: experiment ", id, " ", problem)
      .with_detail({.subject = "searcher.warm_start",
                    .value = cat(id),
                    .hint = "name experiments that were compared by the same metric",
                    .path = "searcher.warm_start"});
}

Status check_metric(const core::ExperimentRow& earlier, const core::SearcherConfig& searcher) {
  const Value& other = earlier.config["searcher"];
  if (other["metric"] != Value(searcher.metric)) {
    return wrong(earlier.id, cat("is compared by another metric than ", searcher.metric));
  }
  if (other["smaller_is_better"] == Value(searcher.smaller_is_better)) return {};
  return wrong(earlier.id, "has another smaller_is_better");
}

}  // namespace

Status add_observations(Store& store, core::ParsedConfig& parsed) {
  core::SearcherConfig& searcher = parsed.config.searcher;
  for (const ExperimentId id : searcher.warm_start) {
    const Result<core::ExperimentRow> earlier = store.experiment(id);
    if (!earlier.ok()) return Status(earlier.status()).with_context("searcher.warm_start");
    TRY(check_metric(*earlier, searcher));
    int used = 0, outside = 0;
    const int most = static_cast<int>(observations_max);
    for (const core::TrialRow& trial : TRY(store.list_trials({.experiment = id, .limit = most}))) {
      if (!trial.best_metric || searcher.observations.size() == observations_max) continue;
      const bool fits = core::check_point(parsed.config.hyperparameters, trial.hparams).ok();
      ++(fits ? used : outside);
      if (fits) {
        searcher.observations.push_back({.hparams = trial.hparams, .metric = *trial.best_metric});
      }
    }
    parsed.warnings.push_back(cat("the search begins with what ", used, " trials of experiment ",
                                  id, " reported; ", outside, " lie outside of its space"));
  }
  if (searcher.observations.empty()) return {};
  Value::Array list;
  for (const core::Observation& one : searcher.observations) {
    list.push_back(Value::Object{{"hparams", one.hparams}, {"metric", one.metric}});
  }
  Value section = parsed.resolved["searcher"];
  section.set("observations", std::move(list));
  parsed.resolved.set("searcher", std::move(section));
  return {};
}

}  // namespace dt::master
