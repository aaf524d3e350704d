#include "core/search/custom.h"

#include "base/overload.h"
#include "core/search/snapshot.h"

namespace dt::core {

CustomMethod::CustomMethod(const HyperparameterSpace& space, std::uint32_t seed)
    : maker_(space, seed) {}

Result<SearchOperations> CustomMethod::proposed(const Proposal& proposal) {
  using Operations = SearchOperations;
  const bool starts = std::holds_alternative<ProposeTrial>(proposal) ||
                      std::holds_alternative<ResumeTrial>(proposal);
  if (finished_ && starts) return failed_precondition("the search was finished");
  return std::visit(Overload{
                        [&](const ProposeTrial& propose) -> Operations {
                          CreateTrial create = maker_.with(propose.hparams);
                          create.parent = propose.parent;
                          return {create};
                        },
                        [&](const FinishSearch&) -> Operations {
                          finished_ = true;
                          return {};
                        },
                        [](const auto& order) -> Operations { return {order}; },
                    },
                    proposal);
}

// How many will come is not known before the end.
double CustomMethod::progress(double trials_done) const {
  return finished_ && maker_.created() > 0 ? trials_done / maker_.created() : 0;
}

Value CustomMethod::snapshot() const {
  return Value::Object{{"finished", finished_ ? 1 : 0}, {"maker", maker_.snapshot()}};
}

Status CustomMethod::restore(const Value& snapshot) {
  finished_ = TRY(snapshot_int(snapshot, "finished", 0, 1)) == 1;
  return maker_.restore(snapshot["maker"]);
}

}  // namespace dt::core
