#include "trial/harness/context.h"

#include <cmath>
#include <limits>

#include "base/cat.h"

namespace dovetail {
namespace {

template <class T>
T value_of(dt::Result<T> result) {
  if (!result.ok()) throw std::invalid_argument(result.status().text());
  return std::move(result).value();
}

class TensorDataset : public Dataset {
 public:
  explicit TensorDataset(std::vector<torch::Tensor> fields) : fields_(std::move(fields)) {
    if (fields_.empty()) throw std::invalid_argument("a tensor_dataset needs at least one field");
    for (const auto& field : fields_) {
      if (field.dim() == 0 || field.size(0) != fields_[0].size(0)) {
        throw std::invalid_argument("the fields of a tensor_dataset need the same number of rows");
      }
    }
  }

  std::int64_t size() const override { return fields_[0].size(0); }

  Batch rows(const torch::Tensor& samples) const override {
    Batch batch;
    for (const auto& field : fields_) batch.push_back(field.index_select(0, samples));
    return batch;
  }

 private:
  std::vector<torch::Tensor> fields_;
};

}  // namespace

std::shared_ptr<Dataset> tensor_dataset(std::vector<torch::Tensor> fields) {
  return std::make_shared<TensorDataset>(std::move(fields));
}

void Tally::add(const std::string& name, double sum, double weight) {
  Entry& entry = entries_[name];
  entry.sum += sum;
  entry.weight += weight;
}

void Tally::add(const std::string& name, const torch::Tensor& sum, double weight) {
  add(name, sum.item<double>(), weight);
}

const Tally::Entry& Tally::entry(const std::string& name) const {
  static const Entry none;
  const auto found = entries_.find(name);
  return found == entries_.end() ? none : found->second;
}

double Tally::sum(const std::string& name) const { return entry(name).sum; }
double Tally::weight(const std::string& name) const { return entry(name).weight; }
double Tally::mean(const std::string& name) const {
  const Entry& found = entry(name);
  return found.weight == 0 ? std::numeric_limits<double>::quiet_NaN() : found.sum / found.weight;
}

std::vector<std::string> Tally::names() const {
  std::vector<std::string> out;
  for (const auto& [name, unused] : entries_) out.push_back(name);
  return out;
}

Metrics Trial::summarize(const Tally& tally) {
  Metrics metrics;
  for (const auto& name : tally.names()) metrics[name] = tally.mean(name);
  return metrics;
}

bool Context::has_hparam(const std::string& name) const {
  return !state_->options.hparams.find(name).is_null();
}
template <>
std::int64_t Context::hparam<std::int64_t>(const std::string& name) const {
  return value_of(state_->options.hparams.integer(name));
}
template <>
int Context::hparam<int>(const std::string& name) const {
  const std::int64_t value = hparam<std::int64_t>(name);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    throw std::invalid_argument(
        dt::cat("hyperparameter '", name, "' is ", value, ", too large for an int"));
  }
  return static_cast<int>(value);
}
template <>
double Context::hparam<double>(const std::string& name) const {
  return value_of(state_->options.hparams.number(name));
}
template <>
std::string Context::hparam<std::string>(const std::string& name) const {
  return value_of(state_->options.hparams.text(name));
}
template <>
bool Context::hparam<bool>(const std::string& name) const {
  return value_of(state_->options.hparams.flag(name));
}

int Context::rank() const { return state_->environment.rank; }
int Context::size() const { return state_->environment.size; }
std::int64_t Context::seed() const { return state_->options.seed; }
std::int64_t Context::steps() const { return state_->options.steps; }
std::int64_t Context::batch() const { return state_->options.batch; }
std::int64_t Context::step() const { return state_->step; }
torch::Device Context::device() const { return torch::kCPU; }

void Context::adopt_model(std::shared_ptr<torch::nn::Module> model) {
  if (state_->model) throw std::logic_error("wrap_model: the trial has a model already");
  model->to(device());
  state_->model = std::move(model);
}

void Context::adopt_optimizer(std::shared_ptr<torch::optim::Optimizer> optimizer) {
  if (state_->optimizer) throw std::logic_error("wrap_optimizer: the trial has one already");
  state_->optimizer = std::move(optimizer);
}

void Context::set_lr_schedule(std::function<double(std::int64_t)> factor) {
  state_->lr_factor = std::move(factor);
}

void Context::clip_gradients(double max_norm) {
  if (!(max_norm > 0)) throw std::invalid_argument("clip_gradients: the norm must be positive");
  state_->clip_norm = max_norm;
}

void Context::allow_unused_parameters() { state_->may_leave_unused = true; }

void Context::report(const std::string& group, const Metrics& values) {
  state_->reporter.metrics(group, state_->step, state_->epoch, values);
}

void Context::request_stop() { state_->stop_requested = true; }

}  // namespace dovetail
