// Trains a small network to tell Fashion-MNIST's ten kinds of clothes apart: two dense layers, or with
// --channels N two convolutions before them. The same program runs on one rank or many, by hand or
// in a search:
//
//   fashion_mnist --steps 500
//   fashion_mnist --steps 500 --channels 16
//   dt-launch --nproc 2 -- fashion_mnist --steps 500
//   dtctl experiment create asha.yaml . --follow
//
// Data: the idx files of Debian's package dataset-fashion-mnist, or --data FOLDER with the same
// files, compressed or not.
#include <dovetail/trial.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adamw.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace F = torch::nn::functional;

// An idx file: a header of big-endian numbers, the last of them the lengths, then bytes.
torch::Tensor read_idx(const std::string& folder, const std::string& name) {
  std::string path = folder + "/" + name;
  if (!std::filesystem::exists(path)) path += ".gz";
  gzFile file = gzopen(path.c_str(), "rb");  // reads plain files too
  if (!file) {
    throw std::runtime_error("no " + path +
                             ": install the package dataset-fashion-mnist, or give "
                             "the folder of its files with --data");
  }
  const auto read = [&](void* to, unsigned bytes) {
    const bool whole = gzread(file, to, bytes) == static_cast<int>(bytes);
    if (!whole) throw std::runtime_error(path + " is cut short");
  };
  std::uint8_t header[4];
  read(header, sizeof header);
  if (header[0] != 0 || header[1] != 0 || header[2] != 8) {
    throw std::runtime_error(path + " is no idx file of bytes");
  }
  std::vector<std::int64_t> shape;
  for (int i = 0; i < header[3]; ++i) {
    std::uint8_t length[4];
    read(length, sizeof length);
    shape.push_back((length[0] << 24) | (length[1] << 16) | (length[2] << 8) | length[3]);
  }
  torch::Tensor data = torch::empty(shape, torch::kByte);
  read(data.data_ptr(), static_cast<unsigned>(data.numel()));
  gzclose(file);
  return data;
}

std::shared_ptr<dovetail::Dataset> read_set(const std::string& folder, const std::string& prefix) {
  const auto images = read_idx(folder, prefix + "-images-idx3-ubyte");
  const auto labels = read_idx(folder, prefix + "-labels-idx1-ubyte");
  return dovetail::tensor_dataset({images.flatten(1), labels});
}

// Two 3×3 convolutions, each followed by a maximum over 2×2: [N, 784] -> [N, 2·channels·7·7].
struct FeaturesImpl : torch::nn::Module {
  explicit FeaturesImpl(int channels)
      : first(register_module("first", convolution(1, channels))),
        second(register_module("second", convolution(channels, 2 * channels))) {}

  torch::Tensor forward(const torch::Tensor& pixels) {
    auto maps = torch::max_pool2d(torch::relu(first(pixels.view({-1, 1, 28, 28}))), 2);
    maps = torch::max_pool2d(torch::relu(second(maps)), 2);
    return maps.flatten(1);
  }

  static torch::nn::Conv2d convolution(int in, int out) {
    return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1));
  }

  torch::nn::Conv2d first, second;
};
TORCH_MODULE(Features);

struct NetImpl : torch::nn::Module {
  NetImpl(int channels, int hidden, double dropout_rate)
      : first(register_module(
            "first", torch::nn::Linear(channels > 0 ? 2 * channels * 7 * 7 : 28 * 28, hidden))),
        second(register_module("second", torch::nn::Linear(hidden, 10))),
        dropout(dropout_rate) {
    if (channels > 0) features = register_module("features", Features(channels));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    auto inputs = images.to(torch::kFloat) / 255;
    if (features) inputs = features(inputs);
    return second(torch::dropout(torch::relu(first(inputs)), dropout, is_training()));
  }

  Features features{nullptr};
  torch::nn::Linear first, second;
  double dropout;
};
TORCH_MODULE(Net);

class FashionMnist : public dovetail::Trial {
 public:
  explicit FashionMnist(dovetail::Context& context)
      : folder_(context.hparam<std::string>("data", "/usr/share/datasets/fashion-mnist")),
        net_(context.wrap_model(Net(context.hparam<int>("channels", 0),
                                    context.hparam<int>("hidden", 128),
                                    context.hparam<double>("dropout", 0.0)))) {
    const auto options = torch::optim::AdamWOptions(context.hparam<double>("lr", 1e-3))
                             .weight_decay(context.hparam<double>("weight_decay", 1e-2));
    context.wrap_optimizer(torch::optim::AdamW(net_->parameters(), options));
    const auto steps = static_cast<double>(context.steps());
    context.set_lr_schedule([steps](std::int64_t step) { return 1 - 0.9 * step / steps; });
  }

  std::shared_ptr<dovetail::Dataset> training_data() override { return read_set(folder_, "train"); }
  std::shared_ptr<dovetail::Dataset> validation_data() override {
    return read_set(folder_, "t10k");
  }

  dovetail::Loss train_batch(const dovetail::Batch& batch) override {
    const auto labels = batch[1].to(torch::kLong);
    return {loss_sum(net_(batch[0]), labels), static_cast<double>(labels.size(0))};
  }

  void evaluate_batch(const dovetail::Batch& batch, dovetail::Tally& tally) override {
    const auto labels = batch[1].to(torch::kLong);
    const auto scores = net_(batch[0]);
    const auto samples = static_cast<double>(labels.size(0));
    tally.add("validation_loss", loss_sum(scores, labels), samples);
    tally.add("validation_accuracy", (scores.argmax(1) == labels).sum(), samples);
  }

 private:
  static torch::Tensor loss_sum(const torch::Tensor& scores, const torch::Tensor& labels) {
    return F::cross_entropy(scores, labels, F::CrossEntropyFuncOptions().reduction(torch::kSum));
  }

  std::string folder_;
  Net net_;
};

}  // namespace

int main(int argc, char** argv) {
  return dovetail::run<FashionMnist>(argc, argv, {.steps = 1000, .batch = 64});
}
