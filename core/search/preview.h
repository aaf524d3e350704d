// What a search will do before it runs: how many trials train for how long, for `dtctl preview` and
// PreviewSearch. For halving it is Determined's estimate, where each rung keeps 1/divisor.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/config.h"

namespace dt::core {

struct PreviewLine {
  std::int64_t trials = 0;
  std::optional<std::int64_t> units;  // of the time metric; none: to the program's own end
  bool operator==(const PreviewLine&) const = default;
};

// By ascending units; rungs that nobody ends at are left out.
std::vector<PreviewLine> preview_search(const SearcherConfig& config,
                                        const HyperparameterSpace& space);

}  // namespace dt::core
