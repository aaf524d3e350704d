// A training program for Dovetail: derive from Trial, hand it to run(). The same program trains on
// one rank or on many, resumes where its checkpoint left off, and reports to the platform or, when
// started by hand, to the terminal.
//
//   class Mnist : public dovetail::Trial {
//    public:
//     explicit Mnist(dovetail::Context& context)
//         : net_(context.wrap_model(Net(context.hparam<int>("hidden")))) {
//       context.wrap_optimizer(torch::optim::SGD(net_->parameters(),
//       context.hparam<double>("lr")));
//     }
//     … training_data(), train_batch(), validation_data(), evaluate_batch()
//   };
//   int main(int argc, char** argv) { return dovetail::run<Mnist>(argc, argv, {.steps = 500}); }
//
// All calls come from one thread. Exceptions thrown by a trial end the rank with a failure, an
// InvalidHyperparameters with exit code 78, which the search takes as the worst result.
#pragma once

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "defaults.h"

namespace dovetail {

using Batch = std::vector<torch::Tensor>;  // the fields of some samples, each [samples, …]
using Metrics = std::map<std::string, double>;

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size() const = 0;
  // The samples of these numbers (int64, one dimension), in this order.
  virtual Batch rows(const torch::Tensor& samples) const = 0;
};

// Samples are the rows of the fields, which have the same length.
std::shared_ptr<Dataset> tensor_dataset(std::vector<torch::Tensor> fields);

// What a micro-batch lost. The harness divides by the weights of the whole global batch, over all
// ranks and accumulation, so give sums, never means.
struct Loss {
  torch::Tensor sum;  // differentiable, one element: the sum over the samples
  double weight = 0;  // what it is to be divided by: samples, tokens, or the sum of sample weights
  Metrics sums = {};  // further sums to be reported, divided by the same weight
};

// Sums and weights by name; over all ranks each sample counts once.
class Tally {
 public:
  void add(const std::string& name, double sum, double weight);
  void add(const std::string& name, const torch::Tensor& sum, double weight);

  double sum(const std::string& name) const;
  double weight(const std::string& name) const;
  double mean(const std::string& name) const;  // NaN without weight
  std::vector<std::string> names() const;      // sorted

 private:
  struct Entry {
    double sum = 0;
    double weight = 0;
  };
  const Entry& entry(const std::string& name) const;

  std::map<std::string, Entry> entries_;
};

// Thrown when these hyperparameters cannot work (a kernel larger than its input, say).
struct InvalidHyperparameters : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a trial is told and what it registers. Lives as long as the trial.
class Context {
 public:
  // A hyperparameter by dotted name; T is bool, int, std::int64_t, double or std::string. Without a
  // fallback a missing one ends the run with a message; a value of another type always does.
  template <class T>
  T hparam(const std::string& name) const;
  template <class T>
  T hparam(const std::string& name, T fallback) const {
    return has_hparam(name) ? hparam<T>(name) : fallback;
  }
  bool has_hparam(const std::string& name) const;

  int rank() const;
  int size() const;
  std::int64_t seed() const;
  std::int64_t steps() const;  // optimizer steps this run trains
  std::int64_t batch() const;  // samples of one optimizer step, over all ranks and accumulation
  std::int64_t step() const;   // the optimizer step at hand, from 1
  torch::Device device() const;

  // The model and its optimizer, each exactly once. Weights start as rank 0's on every rank.
  template <class M>
  M wrap_model(M model) {
    if constexpr (requires { model.ptr(); }) {
      adopt_model(model.ptr());
    } else {
      adopt_model(model);
    }
    return model;
  }
  template <class O>
  O& wrap_optimizer(O optimizer) {  // SGD, Adam or AdamW
    auto shared = std::make_shared<O>(std::move(optimizer));
    adopt_optimizer(shared);
    return *shared;
  }

  // The learning rate of step n (from 1) is the optimizer's own times factor(n). A function of the
  // step alone, so a resumed run needs no scheduler state.
  void set_lr_schedule(std::function<double(std::int64_t step)> factor);
  // Scales the gradient down to this norm before each step.
  void clip_gradients(double max_norm);
  // For models where a step may leave parameters unused; costs a walk of the graph a step.
  void allow_unused_parameters();

  // A value of one's own at the present step; group and names are free.
  void report(const std::string& group, const Metrics& values);
  // Ends training after this step, with a last validation and checkpoint. One rank is enough.
  void request_stop();

  struct State;
  explicit Context(State& state) : state_(&state) {}

 private:
  void adopt_model(std::shared_ptr<torch::nn::Module> model);
  void adopt_optimizer(std::shared_ptr<torch::optim::Optimizer> optimizer);

  State* state_;
};

class Trial {
 public:
  virtual ~Trial() = default;

  virtual std::shared_ptr<Dataset> training_data() = 0;
  // The forward pass and the loss; the harness does backward and the optimizer's step. A rank that
  // has no samples in a step is not called for it.
  virtual Loss train_batch(const Batch& batch) = 0;

  // Without validation data there is no validation.
  virtual std::shared_ptr<Dataset> validation_data() { return nullptr; }
  virtual void evaluate_batch(const Batch& batch, Tally& tally) {
    (void)batch;
    (void)tally;
  }
  // Metrics of the whole validation set; the default is each name's mean. Called on every rank.
  virtual Metrics summarize(const Tally& tally);

  // State beyond model and optimizer, kept in checkpoints (rank 0's).
  virtual std::string save_state() { return {}; }
  virtual void load_state(const std::string& state) { (void)state; }
};

using MakeTrial = std::function<std::unique_ptr<Trial>(Context&)>;

// The whole program; its result is main's. A failed rank leaves the process from here, since a
// broken process group cannot be taken down in order.
int run(int argc, char** argv, const MakeTrial& make_trial, const Defaults& defaults = {});

template <class T>
int run(int argc, char** argv, const Defaults& defaults = {}) {
  return run(
      argc, argv, [](Context& context) { return std::make_unique<T>(context); }, defaults);
}

}  // namespace dovetail
