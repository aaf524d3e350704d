// Draws hyperparameters and makes trials from the experiment's random stream, in Determined's
// order: the hyperparameters by sorted key (nested maps in their place, sorted too), 16 bytes of
// the request id, the trial seed. Every draw of a search goes through here.
#pragma once

#include <cstdint>

#include "base/numpy_random.h"
#include "core/model/hyperparameters.h"
#include "core/search/method.h"
#include "core/search/tpe_sampler.h"

namespace dt::core {

Value sample_space(const HyperparameterSpace& space, NumpyRandom& random);
Value sample_parameter(const Hyperparameter& parameter, NumpyRandom& random);

// False when every sample is the same, so that a replacement of an invalid trial is pointless.
bool can_vary(const HyperparameterSpace& space);

class TrialMaker {
 public:
  TrialMaker(HyperparameterSpace space, std::uint32_t seed,
             SamplerKind sampler = SamplerKind::random);

  CreateTrial sampled();
  CreateTrial with(Value hparams);  // draws the id and the seed only
  // For samplers that learn; `metric` is judged, `level` says how far the trial got.
  void observe(SearchTrial trial, std::int64_t level, double metric);
  void fail(SearchTrial trial);
  void learn(const Value& hparams, double metric);  // of an earlier search
  NumpyRandom& random() { return random_; }
  int created() const { return created_; }
  bool can_vary() const { return can_vary_; }

  Value snapshot() const;
  Status restore(const Value& snapshot);

 private:
  HyperparameterSpace space_;
  bool can_vary_;
  NumpyRandom random_;
  std::optional<TpeSampler> tpe_;
  int created_ = 0;
};

}  // namespace dt::core
