// The program that the tests of this folder start as ranks: a small net on made-up data whose
// samples have uneven weights. Hyperparameters make it misbehave. `mean-of-means` as first argument
// puts the wrong rule in that DistributedDataParallel has by default: each rank's own mean,
// averaged over ranks.
#include <dovetail/trial.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <csignal>
#include <cstdio>
#include <limits>
#include <string>

#include "trial/harness/session.h"

namespace {

class MeanOfMeans : public dt::trial::Normalisation {
 public:
  double loss_scale(double weight, int size) const override { return size > 1 ? 1 / weight : 1; }
  double gradient_divisor(double global_weight, int size) const override {
    return size > 1 ? size : global_weight;
  }
};

struct NetImpl : torch::nn::Module {
  NetImpl(int width, double dropout_rate, bool has_unused)
      : first(register_module("first", torch::nn::Linear(8, width))),
        second(register_module("second", torch::nn::Linear(width, 1))),
        dropout(dropout_rate) {
    steps_seen = register_buffer("steps_seen", torch::zeros({1}));
    if (has_unused) register_module("unused", torch::nn::Linear(4, 4));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    return second(torch::dropout(torch::tanh(first(x)), dropout, is_training())).squeeze(1);
  }

  torch::nn::Linear first, second;
  torch::Tensor steps_seen;
  double dropout;
};
TORCH_MODULE(Net);

std::shared_ptr<dovetail::Dataset> made_up(std::int64_t samples, std::uint64_t seed) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  const auto x = torch::randn({samples, 8}, generator);
  const auto y = x.sum(1).sin();
  const auto weights = torch::arange(samples).remainder(7).add(1).to(torch::kFloat);
  return dovetail::tensor_dataset({x, y, weights});
}

class Sine : public dovetail::Trial {
 public:
  explicit Sine(dovetail::Context& context)
      : context_(context),
        samples_(context.hparam<int>("samples", 103)),
        nan_at_(context.hparam<int>("nan_at", 0)),
        throw_at_(context.hparam<int>("throw_at", 0)),
        die_at_(context.hparam<int>("die_at", 0)),
        stop_at_(context.hparam<int>("stop_at", 0)),
        bad_rank_(context.hparam<int>("bad_rank", -1)),
        net_(context.wrap_model(Net(context.hparam<int>("width", 16),
                                    context.hparam<double>("dropout", 0.0),
                                    context.hparam<bool>("has_unused", false)))) {
    if (context.hparam<bool>("needs_depth", false)) context.hparam<int>("depth");
    const double lr = context.hparam<double>("lr", 0.05);
    if (lr < 0) throw dovetail::InvalidHyperparameters("lr must not be negative");
    if (context.hparam<std::string>("optimizer", "sgd") == "sgd") {
      const auto options = torch::optim::SGDOptions(lr).momentum(0.9);
      context.wrap_optimizer(torch::optim::SGD(net_->parameters(), options));
    } else {
      context.wrap_optimizer(torch::optim::AdamW(net_->parameters(), lr));
    }
    if (context.hparam<bool>("allow_unused", false)) context.allow_unused_parameters();
    if (context.hparam<bool>("clip", false)) context.clip_gradients(0.1);
    context.set_lr_schedule([](std::int64_t step) { return 1.0 / static_cast<double>(step); });
  }

  std::shared_ptr<dovetail::Dataset> training_data() override { return made_up(samples_, 1); }
  std::shared_ptr<dovetail::Dataset> validation_data() override { return made_up(101, 2); }

  dovetail::Loss train_batch(const dovetail::Batch& batch) override {
    const bool is_bad = bad_rank_ < 0 || bad_rank_ == context_.rank();
    if (is_bad && context_.step() == throw_at_) throw std::runtime_error("the trial gave up");
    if (is_bad && context_.step() == die_at_) std::raise(SIGKILL);
    if (is_bad && context_.step() == stop_at_) context_.request_stop();
    const auto errors = net_(batch[0]) - batch[1];
    auto losses = errors.square() * batch[2];
    if (is_bad && context_.step() == nan_at_)
      losses = losses * std::numeric_limits<float>::quiet_NaN();
    ++batches_;
    const double absolute = (errors.abs() * batch[2]).sum().item<double>();
    return {losses.sum(), batch[2].sum().item<double>(), {{"absolute_error", absolute}}};
  }

  void evaluate_batch(const dovetail::Batch& batch, dovetail::Tally& tally) override {
    const auto errors = (net_(batch[0]) - batch[1]).square();
    tally.add("validation_loss", errors.sum(), static_cast<double>(errors.size(0)));
    tally.add("seen", static_cast<double>(errors.size(0)), 1);
  }

  dovetail::Metrics summarize(const dovetail::Tally& tally) override {
    return {{"validation_loss", tally.mean("validation_loss")}, {"seen", tally.sum("seen")}};
  }

  std::string save_state() override { return std::to_string(batches_); }
  void load_state(const std::string& state) override {
    batches_ = std::stoi(state);
    std::printf("restored after %d batches\n", batches_);
  }

 private:
  dovetail::Context& context_;
  int samples_, nan_at_, throw_at_, die_at_, stop_at_, bad_rank_;
  Net net_;
  int batches_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto make = [](dovetail::Context& context) { return std::make_unique<Sine>(context); };
  const dovetail::Defaults defaults{
      .steps = 20, .batch = 16, .validation_batch = 8, .report_every = 1};
  if (argc > 1 && std::string(argv[1]) == "mean-of-means") {
    return dt::trial::run_rank(argc - 1, argv + 1, make, defaults, MeanOfMeans());
  }
  return dovetail::run(argc, argv, make, defaults);
}
