#include "core/search/bracket.h"

#include <algorithm>
#include <cmath>

#include "core/search/promote_bracket.h"
#include "core/search/stop_bracket.h"

namespace dt::core {

int concurrent_trials(const AsyncHalvingSearch& search) {
  if (search.max_concurrent_trials > 0) {
    return std::min(search.max_concurrent_trials, search.max_trials);
  }
  const double enough = std::floor(std::pow(search.divisor, search.num_rungs - 1));
  return static_cast<int>(std::clamp(enough, 1.0, static_cast<double>(search.max_trials)));
}

std::unique_ptr<Bracket> make_bracket(const AsyncHalvingSearch& search, bool replaces_invalid) {
  if (search.promote) return std::make_unique<PromoteBracket>(search, replaces_invalid);
  return std::make_unique<StopBracket>(search, replaces_invalid);
}

}  // namespace dt::core
