#include "trial/harness/optimizer_state.h"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <set>
#include <stdexcept>

#include "base/cat.h"
#include "formats/json.h"

namespace dt::trial {
namespace {

using torch::Tensor;
using torch::optim::Optimizer;

// One parameter's state, read or written field by field under the parameter's name.
class Saver {
 public:
  Saver(OptimizerState& out, const std::string& name) : out_(out), name_(name) {}

  void tensor(const char* field, const Tensor& value) {
    if (value.defined()) out_.tensors[cat(field, ".", name_)] = value;
  }
  void step(std::int64_t value) {
    Value steps = out_.description["steps"];
    out_.description.set("steps", std::move(steps.set(name_, value)));
  }

 private:
  OptimizerState& out_;
  const std::string& name_;
};

class Loader {
 public:
  Loader(const OptimizerState& in, const std::string& name) : in_(in), name_(name) {}

  Tensor tensor(const char* field) const {
    const auto found = in_.tensors.find(cat(field, ".", name_));
    return found == in_.tensors.end() ? Tensor() : found->second.clone();
  }
  std::int64_t step() const {
    const Value& value = in_.description["steps"][name_];
    return value.is_int() ? value.as_int() : 0;
  }

 private:
  const OptimizerState& in_;
  const std::string& name_;
};

struct SgdFields {
  using State = torch::optim::SGDParamState;
  static constexpr const char* first = "momentum_buffer";
  static void save(const State& state, Saver& saver) {
    saver.tensor(first, state.momentum_buffer());
  }
  static void load(const Loader& loader, State& state) {
    state.momentum_buffer(loader.tensor(first));
  }
};

template <class AdamState>
struct AdamFields {
  using State = AdamState;
  static constexpr const char* first = "exp_avg";
  static void save(const State& state, Saver& saver) {
    saver.tensor(first, state.exp_avg());
    saver.tensor("exp_avg_sq", state.exp_avg_sq());
    saver.tensor("max_exp_avg_sq", state.max_exp_avg_sq());
    saver.step(state.step());
  }
  static void load(const Loader& loader, State& state) {
    state.exp_avg(loader.tensor(first));
    state.exp_avg_sq(loader.tensor("exp_avg_sq"));
    state.max_exp_avg_sq(loader.tensor("max_exp_avg_sq"));
    state.step(loader.step());
  }
};

// Calls use(Fields) for the optimizer's kind and returns the kind's name.
template <class Use>
std::string visit_kind(Optimizer& optimizer, const Use& use) {
  if (dynamic_cast<torch::optim::SGD*>(&optimizer)) return use(SgdFields{}), "SGD";
  if (dynamic_cast<torch::optim::AdamW*>(&optimizer)) {
    return use(AdamFields<torch::optim::AdamWParamState>{}), "AdamW";
  }
  if (dynamic_cast<torch::optim::Adam*>(&optimizer)) {
    return use(AdamFields<torch::optim::AdamParamState>{}), "Adam";
  }
  throw std::invalid_argument(
      "wrap_optimizer: checkpoints know the state of torch::optim::SGD, Adam and AdamW only");
}

}  // namespace

void check_optimizer(const torch::nn::Module& model, Optimizer& optimizer) {
  visit_kind(optimizer, [](auto) {});
  std::set<const void*> known;
  for (const auto& item : model.named_parameters())
    known.insert(item.value().unsafeGetTensorImpl());
  std::size_t given = 0;
  std::size_t foreign = 0;
  for (const auto& group : optimizer.param_groups()) {
    for (const Tensor& parameter : group.params()) {
      foreign += known.count(parameter.unsafeGetTensorImpl()) == 0;
      ++given;
    }
  }
  if (foreign > 0) {
    throw std::invalid_argument(cat("wrap_optimizer: ", foreign, " of ", given,
                                    " parameters do not belong to the wrapped model"));
  }
}

OptimizerState save_optimizer(const torch::nn::Module& model, Optimizer& optimizer) {
  OptimizerState out;
  const std::string kind = visit_kind(optimizer, [&](auto fields) {
    using Fields = decltype(fields);
    for (const auto& item : model.named_parameters()) {
      const auto found = optimizer.state().find(item.value().unsafeGetTensorImpl());
      if (found == optimizer.state().end()) continue;
      Saver saver(out, item.key());
      Fields::save(static_cast<const typename Fields::State&>(*found->second), saver);
    }
  });
  out.description.set("type", kind);
  return out;
}

void load_optimizer(const torch::nn::Module& model, Optimizer& optimizer,
                    const OptimizerState& state) {
  const std::string kind = visit_kind(optimizer, [&](auto fields) {
    using Fields = decltype(fields);
    for (const auto& item : model.named_parameters()) {
      if (!state.tensors.count(cat(Fields::first, ".", item.key()))) continue;
      auto loaded = std::make_unique<typename Fields::State>();
      Fields::load(Loader(state, item.key()), *loaded);
      optimizer.state()[item.value().unsafeGetTensorImpl()] = std::move(loaded);
    }
  });
  if (state.description["type"] != Value(kind)) {
    throw std::invalid_argument(cat("the checkpoint holds the state of optimizer ",
                                    to_json(state.description["type"]), ", but the trial uses ",
                                    kind));
  }
}

}  // namespace dt::trial
