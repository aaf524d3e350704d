// One optimizer step over all ranks: the window's micro-batches forward and backward, gradients
// summed over ranks, divided by the weight of the whole window, then the optimizer. The loss is
// added up in order of micro-batches, so it does not depend on how they were dealt to ranks.
#pragma once

#include <vector>

#include "trial/harness/communicator.h"
#include "trial/harness/context.h"
#include "trial/rank/sampler.h"

namespace dt::trial {

// How a step's gradients are scaled. The seam through which the tests put a wrong rule in; the
// product has this one rule.
class Normalisation {
 public:
  virtual ~Normalisation() = default;
  // Before backward, on a micro-batch's loss (a sum).
  virtual double loss_scale(double weight, int size) const;
  // After the sum over ranks and accumulation.
  virtual double gradient_divisor(double global_weight, int size) const;
};

// What ranks agree on at the end of each step; any rank's wish is everybody's.
struct Orders {
  bool preempt = false;
  bool stop = false;    // by the platform
  bool finish = false;  // by the trial: request_stop()
};

struct LossSum {
  double sum = 0;
  double weight = 0;
  dovetail::Metrics sums = {};
  void add(double other_sum, double other_weight, const dovetail::Metrics& other_sums = {});
  double mean() const { return sum / weight; }
};

struct StepResult {
  LossSum global;  // over all ranks, without `sums`
  LossSum own;     // of this rank; its weight is 0 if it had no samples
  Orders orders;
};

class StepRunner {
 public:
  StepRunner(dovetail::Trial& trial, const dovetail::Dataset& data, dovetail::Context::State& state,
             Communicator& communicator, const Normalisation& normalisation);

  StepResult run(Indices window, std::int64_t step);
  // Without a step: at the start.
  Orders agree();

 private:
  // Sums and weights of all micro-batches, then the wishes: each rank fills in its own places.
  class Exchange;

  void run_micro_batch(Indices samples, std::int64_t step, std::int64_t index, bool sync,
                       Exchange& exchange, LossSum& own);
  dovetail::Loss forward(Indices samples, std::int64_t step, std::int64_t index, bool sync);
  torch::Tensor zero_loss() const;
  void update(double global_weight, std::int64_t step);
  void set_learning_rate(std::int64_t step);
  std::vector<torch::Tensor> gradients() const;
  Orders wishes() const;

  dovetail::Trial& trial_;
  const dovetail::Dataset& data_;
  dovetail::Context::State& state_;
  Communicator& communicator_;
  const Normalisation& normalisation_;
  GradientSum gradient_sum_;
  std::vector<double> base_learning_rates_;
};

// Seeds the default generator for one piece of work, so that random numbers depend on what is
// computed and not on which rank computes it.
void seed_generator(std::int64_t seed, std::uint64_t step, std::uint64_t index);

dovetail::Batch fetch(const dovetail::Dataset& data, Indices samples);

}  // namespace dt::trial
