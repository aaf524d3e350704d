// What a run does when neither the command line, the hyperparameters nor the experiment's
// configuration say otherwise (in that order). Counts are in optimizer steps and in samples.
#pragma once

#include <cstdint>

namespace dovetail {

struct Defaults {
  std::int64_t steps = 1000;
  std::int64_t batch = 64;      // samples of one optimizer step, over all ranks and accumulation
  std::int64_t accumulate = 1;  // micro-batches a rank adds up before one optimizer step
  std::int64_t validation_batch = 256;
  std::int64_t validate_every = 0;    // steps; 0: only at the end
  std::int64_t checkpoint_every = 0;  // steps; 0: only at the end
  std::int64_t report_every = 100;    // steps; training metrics are means over them
  std::uint32_t seed = 0;
  int gloo_timeout_s = 60;
  bool fail_on_nonfinite = false;  // true: a loss that is NaN or infinite ends the run
};

}  // namespace dovetail
