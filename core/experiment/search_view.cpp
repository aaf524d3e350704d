#include "core/experiment/search_view.h"

#include "core/experiment/search_log.h"

namespace dt::core {
namespace {

template <class Method>
std::optional<TrialLength> length_in(const Method& method) {
  if constexpr (requires { method.max_time; }) {
    return TrialLength{.unit = method.time_metric, .length = method.max_time};
  }
  return std::nullopt;
}

}  // namespace

Result<SearchView> view_search(const ExperimentRow& experiment,
                               const std::optional<SearcherSnapshotRow>& snapshot,
                               const std::vector<SearcherEventRow>& events) {
  const ParsedConfig parsed = TRY(parse_config(experiment.config, {}));
  SearchLog search(experiment.id, parsed.config);
  TRY(search.restore(snapshot, events));
  SearchView view{.searcher = name_of(parsed.config.searcher),
                  .rungs = search.rungs(),
                  .trials_wanted = search.trials_wanted()};
  if (!view.rungs.empty()) view.unit = length_of(parsed).unit;
  return view;
}

TrialLength length_of(const ParsedConfig& config) {
  const auto of_rungs =
      std::visit([](const auto& one) { return length_in(one); }, config.config.searcher.method);
  if (of_rungs) return *of_rungs;
  const Value& length = config.resolved["searcher"]["max_length"];
  if (length.is_int()) return {.unit = "batches", .length = length.as_int()};
  if (!length.is_object()) return {};
  for (const auto& [unit, count] : length.as_object()) {
    if (count.is_int()) return {.unit = unit, .length = count.as_int()};
  }
  return {};
}

}  // namespace dt::core
