#include "core/search/preview.h"

#include <map>

#include "base/overload.h"
#include "core/search/adaptive_asha.h"
#include "core/search/grid.h"
#include "core/search/hyperband.h"
#include "core/search/rungs.h"

namespace dt::core {

namespace {

using TrialsByUnits = std::map<std::int64_t, std::int64_t>;  // short ladders repeat units

void add_bracket(const AsyncHalvingSearch& search, TrialsByUnits& ending) {
  std::int64_t trials = search.max_trials;
  const auto units = rung_units(search.num_rungs, search.divisor, search.max_time);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool top = i + 1 == units.size();
    const std::int64_t going_on = top ? 0 : trials_going_on(trials, search.divisor);
    if (trials > going_on) ending[units[i]] += trials - going_on;
    trials = going_on;
  }
}

std::vector<PreviewLine> preview_brackets(const std::vector<AsyncHalvingSearch>& brackets) {
  TrialsByUnits ending;
  for (const AsyncHalvingSearch& bracket : brackets) add_bracket(bracket, ending);
  std::vector<PreviewLine> lines;
  for (const auto& [units, trials] : ending) lines.push_back({.trials = trials, .units = units});
  return lines;
}

}  // namespace

std::vector<PreviewLine> preview_search(const SearcherConfig& config,
                                        const HyperparameterSpace& space) {
  using Lines = std::vector<PreviewLine>;
  return std::visit(
      Overload{
          [](const SingleSearch&) -> Lines { return {{.trials = 1, .units = {}}}; },
          [](const RandomSearch& search) -> Lines {
            return {{.trials = search.max_trials, .units = {}}};
          },
          [&](const GridSearch&) -> Lines {
            return {{.trials = GridSpace(space).size(), .units = {}}};
          },
          [](const AsyncHalvingSearch& search) -> Lines { return preview_brackets({search}); },
          [](const AdaptiveAshaSearch& search) -> Lines {
            return preview_brackets(adaptive_brackets(search));
          },
          [](const HyperbandSearch& search) -> Lines {
            return preview_brackets(hyperband_brackets(search));
          },
          [](const PbtSearch& search) -> Lines {
            return {{.trials = search.population_size, .units = search.max_time}};
          },
          [](const TpeSearch& search) -> Lines {
            return {{.trials = search.max_trials, .units = {}}};
          },
          [](const CustomSearch&) -> Lines { return {}; },
      },
      config.method);
}

}  // namespace dt::core
