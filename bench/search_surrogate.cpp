#include "bench/search_surrogate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "base/cat.h"
#include "base/rng.h"

namespace dt::bench {

namespace {

using Floats = std::vector<float>;

constexpr int epochs = 52;
constexpr int data_sets = 34;
constexpr int hyperparameters = 7;
constexpr std::size_t inputs = 32, width = 128, gate = 455, blocks = 3;
constexpr int embedding = 24;
constexpr int most_trials = 1000;
constexpr int scale_points = 1000;  // whose best and median are the scale of the regret

// --- the weights: an ONNX file is protobuf, of which the initializers are read ---

struct Wire {
  std::string_view rest;

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; !rest.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest.front());
      rest.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  std::string_view bytes(std::size_t count) {
    const std::string_view taken = rest.substr(0, count);
    rest.remove_prefix(taken.size());
    return taken;
  }
  // The next field: its number, and its bytes if it has a length.
  std::pair<std::uint64_t, std::string_view> field() {
    const std::uint64_t key = varint();
    switch (key & 7) {
      case 0: return varint(), std::pair{key >> 3, std::string_view()};
      case 1: return {key >> 3, bytes(8)};
      case 2: return {key >> 3, bytes(varint())};
      default: return {key >> 3, bytes(4)};
    }
  }
};

using Weights = std::map<std::string, Floats, std::less<>>;

void add_tensor(std::string_view text, Weights& weights) {
  std::string name;
  std::string_view raw;
  for (Wire tensor{text}; !tensor.rest.empty();) {
    const auto [number, bytes] = tensor.field();
    if (number == 8) name = bytes;
    if (number == 9) raw = bytes;
  }
  Floats values(raw.size() / sizeof(float));
  std::memcpy(values.data(), raw.data(), values.size() * sizeof(float));
  weights[name] = std::move(values);
}

Weights weights_of(std::string_view model) {
  Weights weights;
  for (Wire file{model}; !file.rest.empty();) {
    const auto [number, graph] = file.field();
    if (number != 7) continue;
    for (Wire inside{graph}; !inside.rest.empty();) {
      const auto [part, tensor] = inside.field();
      if (part == 5) add_tensor(tensor, weights);
    }
  }
  return weights;
}

// --- the network ---

struct Linear {
  std::size_t in = 0, out = 0;
  Floats weight, bias;  // weight: by input, then output

  __attribute__((optimize("O3"), target_clones("arch=haswell", "default"))) Floats operator()(
      const Floats& from) const {
    Floats to = bias;
    for (std::size_t i = 0; i < in; ++i) {
      const float factor = from[i];
      const float* row = weight.data() + i * out;
      for (std::size_t o = 0; o < out; ++o) to[o] += factor * row[o];
    }
    return to;
  }
};

struct Norm {  // of a batch, by the running mean and variance
  Floats factor, shift;

  Floats operator()(Floats values) const {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] * factor[i] + shift[i];
    return values;
  }
};

class Network {
 public:
  static Result<Network> read(const std::string& file) {
    std::ifstream input(file, std::ios::binary);
    std::stringstream text;
    text << input.rdbuf();
    const Weights weights = weights_of(text.str());
    Network network;
    const auto add = [&](const std::string& name, std::size_t count, Floats& to) -> Status {
      const auto found = weights.find(name);
      if (found == weights.end() || found->second.size() != count) {
        return invalid_argument(file, " is not the surrogate of LCBench: ", name, " must have ",
                                count, " values");
      }
      to = found->second;
      return {};
    };
    TRY(add("embds_fct.0.weight", 36 * embedding, network.embeddings_));
    TRY(network.add_layers(add));
    return network;
  }

  // 100 − validation accuracy.
  double loss(int data_set, const std::vector<double>& point, int epoch) const {
    Floats state = first_(input_of(data_set, point, epoch));
    for (std::size_t block = 0; block < blocks; ++block) {
      Floats gated = widen_[block](norms_[block](state));
      for (std::size_t i = 0; i < gate; ++i) gated[i] *= std::max(gated[gate + i], 0.f);
      const Floats narrowed = narrow_[block](gated);
      for (std::size_t i = 0; i < state.size(); ++i) state[i] += narrowed[i];
    }
    state = norms_[blocks](std::move(state));
    for (float& value : state) value = std::max(value, 0.f);
    const double share = 1 / (1 + std::exp(-double{head_(state)[1]}));
    return 100 - std::exp(share * 32.233848571777344 - 27.63102149963379);
  }

 private:
  template <class Add>
  Status add_layers(const Add& add) {
    const auto linear = [&](const std::string& name, std::size_t in, std::size_t out,
                            Linear& to) -> Status {
      Floats by_output;
      TRY(add(name + ".weight", in * out, by_output));
      to = {.in = in, .out = out, .weight = Floats(in * out), .bias = {}};
      for (std::size_t i = 0; i < in * out; ++i) to.weight[i] = by_output[i % out * in + i / out];
      return add(name + ".bias", out, to.bias);
    };
    const auto norm = [&](const std::string& name, Norm& to) -> Status {
      Floats mean, variance;
      TRY(add(name + ".weight", width, to.factor));
      TRY(add(name + ".bias", width, to.shift));
      TRY(add(name + ".running_mean", width, mean));
      TRY(add(name + ".running_var", width, variance));
      for (std::size_t i = 0; i < width; ++i) {
        to.factor[i] /= std::sqrt(variance[i] + 1e-5f);
        to.shift[i] -= mean[i] * to.factor[i];
      }
      return {};
    };
    TRY(linear("first_layer", inputs, width, first_));
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::string layer = cat("layers.", i, ".");
      TRY(norm(layer + "norm", norms_[i]));
      TRY(linear(layer + "linear0", width, 2 * gate, widen_[i]));
      TRY(linear(layer + "linear1", gate, width, narrow_[i]));
    }
    TRY(norm("last_normalization", norms_[blocks]));
    return linear("head", width, 6, head_);
  }

  static Floats scaled_point(const std::vector<double>& point) {
    const auto log_between = [](double low, double high, double at) {
      return std::exp(std::log(low) + at * (std::log(high) - std::log(low)));
    };
    // batch size, learning rate, momentum, weight decay, layers, units, dropout; then as the
    // network was trained on them.
    const std::array<double, hyperparameters> raw{std::round(log_between(16, 512, point[0])),
                                                  log_between(1e-4, 0.1, point[1]),
                                                  0.1 + 0.89 * point[2],
                                                  1e-5 + (0.1 - 1e-5) * point[3],
                                                  1 + std::min(std::floor(5 * point[4]), 4.0),
                                                  std::round(log_between(64, 1024, point[5])),
                                                  point[6]};
    const std::array<double, hyperparameters> scaled{
        (raw[0] - 16) / 495,
        (std::log(raw[1]) + 9.209311485290527) / 6.896975040435791,
        (raw[2] - 0.10000386089086533) / 0.8822514414787292,
        (std::log(raw[3]) + 9.91645622253418) / 7.6138458251953125,
        (raw[4] - 1) / 3,
        (raw[5] - 64) / 960,
        (raw[6] - 0.0005357532645575702) / 0.9994120597839355};
    return Floats(scaled.begin(), scaled.end());
  }

  Floats input_of(int data_set, const std::vector<double>& point, int epoch) const {
    const auto row = embeddings_.begin() + data_set * embedding;
    Floats input(row, row + embedding);
    input.push_back(static_cast<float>(std::log(epoch) / 3.9512436389923096));
    const Floats scaled = scaled_point(point);
    input.insert(input.end(), scaled.begin(), scaled.end());
    return input;
  }

  Floats embeddings_;
  Linear first_, head_;
  std::array<Norm, blocks + 1> norms_;
  std::array<Linear, blocks> widen_, narrow_;
};

// --- a data set as a problem ---

std::vector<double> random_point(Rng& rng) {
  std::vector<double> point;
  for (int i = 0; i < hyperparameters; ++i) point.push_back(rng.unit());
  return point;
}

class SurrogateCourse : public Course {
 public:
  SurrogateCourse(const Network& network, int data_set, int seed)
      : network_(network), data_set_(data_set), rng_(static_cast<std::uint64_t>(seed)) {}

  int add(const std::vector<double>& point) override {
    points_.push_back(point.empty() ? random_point(rng_) : point);
    return static_cast<int>(points_.size()) - 1;
  }

  double loss(int trial, int step) override {
    return network_.loss(data_set_, points_.at(static_cast<std::size_t>(trial)), step);
  }

 private:
  const Network& network_;
  int data_set_;
  Rng rng_;
  std::vector<std::vector<double>> points_;  // by trial
};

class SurrogateProblem : public Problem {
 public:
  SurrogateProblem(std::shared_ptr<const Network> network, int data_set)
      : network_(std::move(network)), data_set_(data_set) {
    Rng rng(0);
    std::vector<double> last;
    for (int i = 0; i < scale_points; ++i) {
      last.push_back(network_->loss(data_set, random_point(rng), epochs));
    }
    std::sort(last.begin(), last.end());
    best_ = last.front();
    median_ = last[last.size() / 2];
  }

  std::string name() const override { return cat("lcbench_", data_set_); }
  int steps() const override { return epochs; }
  int axes() const override { return hyperparameters; }
  int most_trials() const override { return bench::most_trials; }
  double best() const override { return best_; }
  double median() const override { return median_; }
  std::unique_ptr<Course> begin(int seed) const override {
    return std::make_unique<SurrogateCourse>(*network_, data_set_, seed);
  }

 private:
  std::shared_ptr<const Network> network_;
  int data_set_;  // the row of its embedding; row 0 is of an unknown one
  double best_ = 0;
  double median_ = 0;
};

}  // namespace

Result<Problems> load_surrogate(const std::string& onnx_file) {
  const auto network = std::make_shared<const Network>(TRY(Network::read(onnx_file)));
  Problems problems;
  for (int data_set = 1; data_set <= data_sets; ++data_set) {
    problems.push_back(std::make_unique<SurrogateProblem>(network, data_set));
  }
  return problems;
}

}  // namespace dt::bench
