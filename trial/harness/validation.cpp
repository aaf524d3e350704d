#include "trial/harness/validation.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "trial/harness/step.h"

namespace dt::trial {
namespace {

using dovetail::Tally;

// Evaluates with gradients off and the model in evaluation mode.
class EvaluationMode {
 public:
  explicit EvaluationMode(torch::nn::Module& model) : model_(model), was_(model.is_training()) {
    model_.eval();
  }
  ~EvaluationMode() { model_.train(was_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  torch::nn::Module& model_;
  bool was_;
  torch::NoGradGuard no_grad_;
};

constexpr std::uint64_t validation_stream = ~std::uint64_t{0};  // no training step has this number

Tally evaluate(dovetail::Trial& trial, const dovetail::Dataset& data,
               const dovetail::Context::State& state, std::int64_t index) {
  const std::int64_t begin = index * state.options.validation_batch;
  const std::int64_t end = std::min(begin + state.options.validation_batch, data.size());
  std::vector<std::int64_t> samples(static_cast<std::size_t>(end - begin));
  std::iota(samples.begin(), samples.end(), begin);
  seed_generator(state.options.seed, validation_stream, static_cast<std::uint64_t>(index));
  Tally tally;
  trial.evaluate_batch(fetch(data, samples), tally);
  return tally;
}

std::vector<std::string> names_of(const std::vector<Tally>& tallies) {
  std::vector<std::string> names;
  for (const Tally& tally : tallies) {
    for (const auto& name : tally.names()) names.push_back(name);
  }
  return names;
}

}  // namespace

dovetail::Metrics validate(dovetail::Trial& trial, const dovetail::Dataset& data,
                           dovetail::Context::State& state, Communicator& communicator) {
  const EvaluationMode mode(*state.model);
  const std::int64_t batch = state.options.validation_batch;
  const std::int64_t batches = (data.size() + batch - 1) / batch;
  std::vector<Tally> own;  // of batches rank, rank + size, …
  for (std::int64_t i = communicator.rank(); i < batches; i += communicator.size()) {
    own.push_back(evaluate(trial, data, state, i));
  }
  const std::vector<std::string> names = communicator.unite(names_of(own));

  // [batch, name, sum and weight]; each rank fills in its own batches, so adding up changes no bit.
  const auto table =
      torch::zeros({batches, static_cast<std::int64_t>(names.size()), 2}, torch::kDouble);
  auto cells = table.accessor<double, 3>();
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::int64_t row =
        communicator.rank() + static_cast<std::int64_t>(i) * communicator.size();
    for (std::size_t column = 0; column < names.size(); ++column) {
      cells[row][static_cast<std::int64_t>(column)][0] = own[i].sum(names[column]);
      cells[row][static_cast<std::int64_t>(column)][1] = own[i].weight(names[column]);
    }
  }
  communicator.sum(table);
  Tally total;
  for (std::int64_t row = 0; row < batches; ++row) {
    for (std::size_t column = 0; column < names.size(); ++column) {
      const auto cell = cells[row][static_cast<std::int64_t>(column)];
      total.add(names[column], cell[0], cell[1]);
    }
  }
  return trial.summarize(total);
}

}  // namespace dt::trial
