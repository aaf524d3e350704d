#include "core/search/preview.h"

#include "base/overload.h"
#include "core/search/grid.h"
#include "core/search/rungs.h"

namespace dt::core {

namespace {

std::vector<PreviewLine> preview_halving(const AsyncHalvingSearch& search) {
  std::vector<PreviewLine> lines;
  std::int64_t trials = search.max_trials;
  const auto units = rung_units(search.num_rungs, search.divisor, search.max_time);
  for (std::size_t i = 0; i < units.size(); ++i) {
    const bool top = i + 1 == units.size();
    const std::int64_t going_on = top ? 0 : trials_going_on(trials, search.divisor);
    const std::int64_t ending = trials - going_on;
    trials = going_on;
    if (ending == 0) continue;
    if (!lines.empty() && lines.back().units == units[i]) {
      lines.back().trials += ending;  // short ladders have rungs of equal units
    } else {
      lines.push_back({.trials = ending, .units = units[i]});
    }
  }
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
          [](const AsyncHalvingSearch& search) -> Lines { return preview_halving(search); },
      },
      config.method);
}

}  // namespace dt::core
