#include "base/overload.h"
#include "core/search/async_halving.h"
#include "core/search/grid.h"
#include "core/search/method.h"
#include "core/search/random.h"

namespace dt::core {

std::unique_ptr<SearchMethod> make_search_method(const SearcherConfig& config,
                                                 const HyperparameterSpace& space,
                                                 std::uint32_t seed) {
  using Method = std::unique_ptr<SearchMethod>;
  return std::visit(Overload{
                        [&](const SingleSearch&) -> Method {
                          const RandomSearch one{.max_trials = 1, .max_concurrent_trials = 1};
                          return std::make_unique<RandomMethod>(one, space, seed);
                        },
                        [&](const RandomSearch& search) -> Method {
                          return std::make_unique<RandomMethod>(search, space, seed);
                        },
                        [&](const GridSearch& search) -> Method {
                          return std::make_unique<GridMethod>(search, space, seed);
                        },
                        [&](const AsyncHalvingSearch& search) -> Method {
                          return std::make_unique<AsyncHalvingMethod>(
                              search, config.smaller_is_better, space, seed);
                        },
                    },
                    config.method);
}

}  // namespace dt::core
