// Checkpoints of a training run: model.safetensors (the model's parameters and buffers by name,
// which any safetensors reader can use), training.safetensors (optimizer state by parameter name,
// every rank's random number state) and manifest.json. Rank 0 writes, every rank reads. Throws.
#pragma once

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <string>
#include <vector>

#include "trial/rank/manifest.h"

namespace dt::trial {

struct CheckpointParts {
  torch::nn::Module& model;
  torch::optim::Optimizer& optimizer;
};

torch::Tensor rng_state();
void set_rng_state(const torch::Tensor& state);

// Writes <folder>/<id>, whole or not at all; returns its files, manifest.json among them.
// `manifest` comes without its files and optimizer, which are filled in.
std::vector<ReportedFile> write_checkpoint(const std::string& folder, const std::string& id,
                                           const CheckpointParts& parts,
                                           const std::vector<torch::Tensor>& rng_states,
                                           Manifest manifest);

// Verifies every file, then loads model and optimizer, and at the same world size this rank's
// random number state.
void load_checkpoint(const std::string& folder, const Manifest& manifest,
                     const CheckpointParts& parts, int rank, int size);

// Over all parameters in order of their names: name, shape and bytes.
std::string parameters_sha256(const torch::nn::Module& model);

}  // namespace dt::trial
