#include "trial/harness/step.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/_foreach_div.h>
#include <torch/nn/utils/clip_grad.h>

#include <cmath>
#include <stdexcept>

#include "base/cat.h"
#include "trial/harness/parameters.h"

namespace dt::trial {

using dovetail::Loss;
using torch::Tensor;

double Normalisation::loss_scale(double, int) const { return 1; }
double Normalisation::gradient_divisor(double global_weight, int) const { return global_weight; }

void LossSum::add(double other_sum, double other_weight, const dovetail::Metrics& other_sums) {
  sum += other_sum;
  weight += other_weight;
  for (const auto& [name, value] : other_sums) sums[name] += value;
}

class StepRunner::Exchange {
 public:
  explicit Exchange(std::int64_t parts)
      : parts_(parts), tensor_(torch::zeros({2 * parts + 3}, torch::kDouble)) {}

  void set(std::int64_t index, double sum, double weight) {
    at(index) = sum;
    at(parts_ + index) = weight;
  }

  Orders sum(Communicator& communicator, const Orders& own) {
    at(2 * parts_) = own.preempt;
    at(2 * parts_ + 1) = own.stop;
    at(2 * parts_ + 2) = own.finish;
    communicator.sum(tensor_);
    return {at(2 * parts_) > 0, at(2 * parts_ + 1) > 0, at(2 * parts_ + 2) > 0};
  }

  LossSum global() {
    LossSum out;
    for (std::int64_t i = 0; i < parts_; ++i) out.add(at(i), at(parts_ + i));
    return out;
  }

 private:
  double& at(std::int64_t place) { return tensor_.data_ptr<double>()[place]; }

  std::int64_t parts_;
  Tensor tensor_;
};

StepRunner::StepRunner(dovetail::Trial& trial, const dovetail::Dataset& data,
                       dovetail::Context::State& state, Communicator& communicator,
                       const Normalisation& normalisation)
    : trial_(trial),
      data_(data),
      state_(state),
      communicator_(communicator),
      normalisation_(normalisation),
      gradient_sum_(*state.model, communicator, state.may_leave_unused) {
  for (const auto& group : state_.optimizer->param_groups()) {
    base_learning_rates_.push_back(group.options().get_lr());
  }
}

StepResult StepRunner::run(Indices window, std::int64_t step) {
  const std::int64_t accumulate = state_.options.accumulate;
  const std::int64_t parts = accumulate * communicator_.size();
  Exchange exchange(parts);
  StepResult result;
  state_.optimizer->zero_grad();
  for (std::int64_t i = 0; i < accumulate; ++i) {
    const std::int64_t index = i * communicator_.size() + communicator_.rank();
    run_micro_batch(micro_batch(window, index, parts), step, index, i + 1 == accumulate, exchange,
                    result.own);
  }
  result.orders = exchange.sum(communicator_, wishes());
  result.global = exchange.global();
  update(result.global.weight, step);
  return result;
}

Orders StepRunner::agree() { return Exchange(0).sum(communicator_, wishes()); }

Orders StepRunner::wishes() const {
  return {state_.reporter.preempt_asked(), state_.reporter.stop_asked(), state_.stop_requested};
}

void StepRunner::run_micro_batch(Indices samples, std::int64_t step, std::int64_t index, bool sync,
                                 Exchange& exchange, LossSum& own) {
  const bool reduces = sync && communicator_.size() > 1;
  if (samples.empty() && !reduces) return;
  if (samples.empty()) {  // nothing to learn here, but the other ranks wait for our share
    gradient_sum_.before_forward(true);
    const Tensor loss = zero_loss();
    gradient_sum_.before_backward(loss);
    loss.backward();
    return;
  }
  const Loss loss = forward(samples, step, index, sync);
  if (reduces) gradient_sum_.before_backward(loss.sum);
  const double scale = normalisation_.loss_scale(loss.weight, communicator_.size());
  (scale == 1 ? loss.sum : loss.sum * scale).backward();
  const double sum = loss.sum.item<double>();
  exchange.set(index, sum, loss.weight);
  own.add(sum, loss.weight, loss.sums);
}

Loss StepRunner::forward(Indices samples, std::int64_t step, std::int64_t index, bool sync) {
  gradient_sum_.before_forward(sync);
  seed_generator(state_.options.seed, static_cast<std::uint64_t>(step),
                 static_cast<std::uint64_t>(index));
  Loss loss = trial_.train_batch(fetch(data_, samples));
  if (!loss.sum.defined() || loss.sum.numel() != 1 || !loss.sum.requires_grad()) {
    throw std::logic_error("train_batch must return a differentiable loss of one element");
  }
  if (!(loss.weight >= 0) || std::isinf(loss.weight)) {
    throw std::logic_error(cat("train_batch returned the weight ", loss.weight));
  }
  return loss;
}

// Its gradient is -0 everywhere, the one number that changes no sum, not even one of -0.
Tensor StepRunner::zero_loss() const {
  Tensor sum = torch::zeros({});
  for (const auto& [name, parameter] : unique_parameters(*state_.model)) {
    if (parameter.requires_grad()) sum = sum + (parameter * -0.0).sum();
  }
  return sum;
}

std::vector<Tensor> StepRunner::gradients() const {
  std::vector<Tensor> out;
  for (const auto& [name, parameter] : unique_parameters(*state_.model)) {
    const Tensor& gradient = parameter.grad();
    if (gradient.defined()) {
      out.push_back(gradient);
    } else if (parameter.requires_grad() && communicator_.size() > 1 && !state_.may_leave_unused) {
      throw std::logic_error(cat("parameter '", name,
                                 "' took no part in the loss, so ranks cannot agree on its "
                                 "gradient; call context.allow_unused_parameters()"));
    }
  }
  return out;
}

void StepRunner::update(double global_weight, std::int64_t step) {
  if (global_weight == 0) return;  // nothing to learn from; the loss is NaN and said so
  const torch::NoGradGuard no_grad;
  const std::vector<Tensor> all = gradients();
  at::_foreach_div_(all, normalisation_.gradient_divisor(global_weight, communicator_.size()));
  if (state_.clip_norm > 0)
    torch::nn::utils::clip_grad_norm_(state_.model->parameters(), state_.clip_norm);
  set_learning_rate(step);
  state_.optimizer->step();
}

void StepRunner::set_learning_rate(std::int64_t step) {
  if (!state_.lr_factor) return;
  const double factor = state_.lr_factor(step);
  for (std::size_t i = 0; i < base_learning_rates_.size(); ++i) {
    state_.optimizer->param_groups()[i].options().set_lr(base_learning_rates_[i] * factor);
  }
}

void seed_generator(std::int64_t seed, std::uint64_t step, std::uint64_t index) {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_current_seed(mix(static_cast<std::uint64_t>(seed), step, index));
}

dovetail::Batch fetch(const dovetail::Dataset& data, Indices samples) {
  const auto numbers = torch::empty({static_cast<std::int64_t>(samples.size())}, torch::kLong);
  std::copy(samples.begin(), samples.end(), numbers.data_ptr<std::int64_t>());
  return data.rows(numbers);
}

}  // namespace dt::trial
