// What this run shall do, put together from the command line, the hyperparameters, the experiment's
// configuration and the program's own defaults: the first of them that speaks wins. Any flag that
// is not the harness's own sets the hyperparameter of that name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "trial/dovetail/defaults.h"
#include "trial/rank/environment.h"
#include "trial/rank/hparams.h"

namespace dt::trial {

// A length in the configuration's units; all zero means “only at the end”.
struct Period {
  std::int64_t batches = 0;
  std::int64_t records = 0;
  std::int64_t epochs = 0;

  // In optimizer steps, at least 1 when anything is set.
  std::int64_t steps(std::int64_t batch, std::int64_t windows_per_epoch) const;
  bool operator==(const Period&) const = default;
};

struct RunOptions {
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t accumulate = 1;
  std::int64_t validation_batch = 0;
  Period validation_period;
  Period checkpoint_period;
  std::int64_t report_period = 100;
  bool initial_validation = false;
  std::int64_t seed = 0;
  std::string checkpoint_dir;  // empty: no checkpoints
  std::string resume_from;     // empty: fresh
  bool fail_on_nonfinite = false;
  std::int64_t gloo_timeout_s = 60;
  bool help = false;
  Hparams hparams;
  std::vector<std::string> hparam_flags;  // names that the command line set
};

Result<RunOptions> resolve_options(const std::vector<std::string>& arguments,
                                   const RankEnvironment& environment,
                                   const dovetail::Defaults& defaults);

std::string usage(const std::string& program);

}  // namespace dt::trial
