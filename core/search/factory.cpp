#include "base/overload.h"
#include "core/search/adaptive_asha.h"
#include "core/search/async_halving.h"
#include "core/search/custom.h"
#include "core/search/grid.h"
#include "core/search/hyperband.h"
#include "core/search/method.h"
#include "core/search/pbt.h"
#include "core/search/random.h"
#include "core/search/tpe.h"

namespace dt::core {

std::unique_ptr<SearchMethod> make_search_method(const SearcherConfig& config,
                                                 const HyperparameterSpace& space,
                                                 std::uint32_t seed) {
  using Method = std::unique_ptr<SearchMethod>;
  const bool smaller_is_better = config.smaller_is_better;
  const auto maker = [&] { return TrialMaker(space, seed, config.sampler); };
  return std::visit(
      Overload{
          [&](const SingleSearch&) -> Method {
            const RandomSearch one{.max_trials = 1, .max_concurrent_trials = 1};
            return std::make_unique<RandomMethod>(one, TrialMaker(space, seed));
          },
          [&](const RandomSearch& search) -> Method {
            return std::make_unique<RandomMethod>(search, TrialMaker(space, seed));
          },
          [&](const GridSearch& search) -> Method {
            return std::make_unique<GridMethod>(search, space, seed);
          },
          [&](const AsyncHalvingSearch& search) -> Method {
            const std::vector<AsyncHalvingSearch> one{search};
            return std::make_unique<AsyncHalvingMethod>(one, smaller_is_better, maker());
          },
          [&](const AdaptiveAshaSearch& search) -> Method {
            return std::make_unique<AsyncHalvingMethod>(adaptive_brackets(search),
                                                        smaller_is_better, maker());
          },
          [&](const HyperbandSearch& search) -> Method {
            return std::make_unique<HyperbandMethod>(search, smaller_is_better, maker());
          },
          [&](const PbtSearch& search) -> Method {
            return std::make_unique<PbtMethod>(search, smaller_is_better, space, seed);
          },
          [&](const TpeSearch& search) -> Method {
            return std::make_unique<TpeMethod>(search, config, space, seed);
          },
          [&](const CustomSearch&) -> Method {
            return std::make_unique<CustomMethod>(space, seed);
          },
      },
      config.method);
}

}  // namespace dt::core
