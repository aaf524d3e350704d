// The training loop: resumes, steps, and after each step does what is due, in this order: report
// training metrics, validate, report progress, checkpoint, obey. All ranks take every decision
// alike, because it depends on the step's number and on what the step's exchange agreed upon.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "trial/harness/communicator.h"
#include "trial/harness/context.h"
#include "trial/harness/step.h"
#include "trial/rank/manifest.h"
#include "trial/rank/reporter.h"
#include "trial/rank/sampler.h"

namespace dt::trial {

enum class Outcome { completed, stopped, preempted };

class Trainer {
 public:
  // `resume` is the manifest of options.resume_from. Throws std::invalid_argument for a trial that
  // lacks what training needs.
  Trainer(dovetail::Trial& trial, dovetail::Context::State& state, Communicator& communicator,
          const std::optional<Manifest>& resume, const Normalisation& normalisation);
  ~Trainer();

  Outcome train();
  double loss() const { return loss_; }  // of the last step, over the whole global batch
  std::int64_t step() const { return step_; }

 private:
  void restore(const Manifest& manifest);
  StepResult advance();
  void after_step(const StepResult& result);
  Outcome end(const Orders& orders);
  void note(const StepResult& result);
  void report_training();
  void sum_over_ranks(LossSum& loss);
  void run_validation();
  void report_progress();
  void save();
  bool is_due(std::int64_t period) const { return period > 0 && step_ % period == 0; }
  double epoch() const;

  dovetail::Trial& trial_;
  dovetail::Context::State& state_;
  Communicator& communicator_;
  std::shared_ptr<dovetail::Dataset> training_;
  std::shared_ptr<dovetail::Dataset> validation_;
  std::unique_ptr<StepRunner> runner_;
  std::unique_ptr<Sampler> sampler_;
  std::int64_t validation_period_ = 0;
  std::int64_t checkpoint_period_ = 0;

  std::int64_t step_ = 0;
  double loss_ = 0;
  bool unreported_ = false;  // steps since the last report, summed up in:
  LossSum own_;
  LossSum global_;
  std::int64_t validated_step_ = -1;
  std::int64_t saved_step_ = -1;
};

}  // namespace dt::trial
