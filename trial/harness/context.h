// What a Context holds: filled by the trial's constructor, read by the trainer.
#pragma once

#include <functional>
#include <memory>

#include "trial/dovetail/trial.h"
#include "trial/rank/environment.h"
#include "trial/rank/options.h"
#include "trial/rank/reporter.h"

namespace dovetail {

struct Context::State {
  const dt::trial::RankEnvironment& environment;
  const dt::trial::RunOptions& options;
  dt::trial::Reporter& reporter;

  std::shared_ptr<torch::nn::Module> model = nullptr;
  std::shared_ptr<torch::optim::Optimizer> optimizer = nullptr;
  std::function<double(std::int64_t)> lr_factor = nullptr;
  double clip_norm = 0;  // 0: none
  bool may_leave_unused = false;
  bool stop_requested = false;
  std::int64_t step = 0;
  double epoch = 0;
};

}  // namespace dovetail
