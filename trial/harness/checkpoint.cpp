#include "trial/harness/checkpoint.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cstring>
#include <map>
#include <stdexcept>

#include "formats/json.h"
#include "formats/sha256.h"
#include "trial/harness/optimizer_state.h"
#include "trial/rank/safetensors.h"

namespace dt::trial {
namespace {

using torch::Tensor;

constexpr const char* model_file = "model.safetensors";
constexpr const char* training_file = "training.safetensors";

struct Dtype {
  torch::ScalarType type;
  const char* name;
};
constexpr Dtype dtypes[] = {{torch::kFloat, "F32"}, {torch::kDouble, "F64"},
                            {torch::kHalf, "F16"},  {torch::kBFloat16, "BF16"},
                            {torch::kLong, "I64"},  {torch::kInt, "I32"},
                            {torch::kShort, "I16"}, {torch::kChar, "I8"},
                            {torch::kByte, "U8"},   {torch::kBool, "BOOL"}};

const char* name_of(torch::ScalarType type) {
  for (const Dtype& dtype : dtypes) {
    if (dtype.type == type) return dtype.name;
  }
  throw std::invalid_argument(cat("a checkpoint cannot hold tensors of type ", toString(type)));
}

torch::ScalarType type_of(const std::string& name) {
  for (const Dtype& dtype : dtypes) {
    if (name == dtype.name) return dtype.type;
  }
  throw std::invalid_argument("a checkpoint with tensors of unknown type " + name);
}

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().text());
  return std::move(result).value();
}

void require(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.text());
}

std::string_view bytes_of(const Tensor& tensor) {  // contiguous, on the CPU
  return {static_cast<const char*>(tensor.const_data_ptr()),
          static_cast<std::size_t>(tensor.nbytes())};
}

Tensor plain(const Tensor& tensor) { return tensor.detach().cpu().contiguous(); }

using TensorMap = std::map<std::string, Tensor>;

TensorMap model_tensors(const torch::nn::Module& model) {
  TensorMap out;
  for (const auto& item : model.named_parameters()) out[item.key()] = item.value();
  for (const auto& item : model.named_buffers()) out[item.key()] = item.value();
  return out;
}

ReportedFile write_tensors(const std::string& folder, const char* name, const TensorMap& tensors) {
  std::vector<Tensor> alive;
  NamedTensors named;
  for (const auto& [key, tensor] : tensors) {
    alive.push_back(plain(tensor));
    named[key] = {name_of(tensor.scalar_type()), tensor.sizes().vec(), bytes_of(alive.back())};
  }
  return value_of(write_safetensors(folder, name, named));
}

TensorMap read_tensors(const std::string& folder, const Manifest& manifest, const char* name) {
  for (const ReportedFile& file : manifest.files) {
    if (file.path != name) continue;
    const std::string text = value_of(read_verified(folder, file));
    TensorMap out;
    for (const auto& [key, bytes] : value_of(parse_safetensors(text))) {
      auto tensor = torch::empty(bytes.shape, type_of(bytes.dtype));
      if (!bytes.data.empty()) std::memcpy(tensor.data_ptr(), bytes.data.data(), bytes.data.size());
      out[key] = tensor;
    }
    return out;
  }
  throw std::runtime_error(cat("checkpoint ", folder, " has no file ", name));
}

void load_model(torch::nn::Module& model, const TensorMap& saved, const std::string& folder) {
  const TensorMap own = model_tensors(model);
  for (const auto& [name, tensor] : own) {
    const auto found = saved.find(name);
    if (found == saved.end() || found->second.sizes() != tensor.sizes()) {
      throw std::runtime_error(cat("checkpoint ", folder, " does not fit the model: ",
                                   found == saved.end() ? "it lacks " : "another shape of ", name));
    }
  }
  if (saved.size() != own.size()) {
    throw std::runtime_error(cat("checkpoint ", folder, " does not fit the model: it has ",
                                 saved.size(), " tensors, the model ", own.size()));
  }
  const torch::NoGradGuard no_grad;
  for (auto [name, tensor] : own) tensor.copy_(saved.at(name));
}

}  // namespace

Tensor rng_state() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

void set_rng_state(const Tensor& state) {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_state(state);
}

std::vector<ReportedFile> write_checkpoint(const std::string& folder, const std::string& id,
                                           const CheckpointParts& parts,
                                           const std::vector<Tensor>& rng_states,
                                           Manifest manifest) {
  const std::string temporary = cat(folder, "/.", id, ".partial");
  require(make_fresh_folder(temporary));
  manifest.files = {write_tensors(temporary, model_file, model_tensors(parts.model))};

  OptimizerState optimizer = save_optimizer(parts.model, parts.optimizer);
  manifest.optimizer = optimizer.description;
  TensorMap training;
  for (auto& [name, tensor] : optimizer.tensors) training["optimizer." + name] = tensor;
  for (std::size_t i = 0; i < rng_states.size(); ++i) training[cat("rng.", i)] = rng_states[i];
  manifest.files.push_back(write_tensors(temporary, training_file, training));

  FileWriter file = value_of(FileWriter::create(temporary, manifest_name));
  require(file.write(to_json_pretty(to_value(manifest))));
  std::vector<ReportedFile> files = manifest.files;
  files.push_back(value_of(file.close()));
  require(publish_folder(temporary, cat(folder, "/", id)));
  return files;
}

void load_checkpoint(const std::string& folder, const Manifest& manifest,
                     const CheckpointParts& parts, int rank, int size) {
  load_model(parts.model, read_tensors(folder, manifest, model_file), folder);
  const TensorMap training = read_tensors(folder, manifest, training_file);
  OptimizerState optimizer{manifest.optimizer, {}};
  const std::string prefix = "optimizer.";
  for (const auto& [name, tensor] : training) {
    if (name.rfind(prefix, 0) == 0) optimizer.tensors[name.substr(prefix.size())] = tensor;
  }
  load_optimizer(parts.model, parts.optimizer, optimizer);
  const auto rng = training.find(cat("rng.", rank));
  if (manifest.size == size && rng != training.end()) set_rng_state(rng->second);
}

std::string parameters_sha256(const torch::nn::Module& model) {
  TensorMap parameters;
  for (const auto& item : model.named_parameters()) parameters[item.key()] = item.value();
  Sha256 hash;
  for (const auto& [name, tensor] : parameters) {
    hash.update(name).update("\n");
    for (const std::int64_t length : tensor.sizes()) hash.update(cat(length, " "));
    const Tensor whole = plain(tensor);
    hash.update("\n").update(bytes_of(whole));
  }
  return hash.hex();
}

}  // namespace dt::trial
