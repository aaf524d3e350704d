// An optimizer's state under the names of the parameters. (torch's own save keys it by address, so
// it can only be read back in the same order.) Knows SGD, Adam and AdamW.
#pragma once

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <map>
#include <string>

#include "base/value.h"

namespace dt::trial {

struct OptimizerState {
  Value description;                             // {type, steps: {parameter: n}}
  std::map<std::string, torch::Tensor> tensors;  // "exp_avg.fc1.weight"
};

// Throws for another optimizer, and for one with parameters that are not the model's.
void check_optimizer(const torch::nn::Module& model, torch::optim::Optimizer& optimizer);
OptimizerState save_optimizer(const torch::nn::Module& model, torch::optim::Optimizer& optimizer);
void load_optimizer(const torch::nn::Module& model, torch::optim::Optimizer& optimizer,
                    const OptimizerState& state);

}  // namespace dt::trial
