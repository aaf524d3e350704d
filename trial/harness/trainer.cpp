#include "trial/harness/trainer.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "base/cat.h"
#include "trial/harness/checkpoint.h"
#include "trial/harness/optimizer_state.h"
#include "trial/harness/validation.h"

namespace dt::trial {

Trainer::Trainer(dovetail::Trial& trial, dovetail::Context::State& state,
                 Communicator& communicator, const std::optional<Manifest>& resume,
                 const Normalisation& normalisation)
    : trial_(trial), state_(state), communicator_(communicator) {
  if (!state_.model) throw std::invalid_argument("the trial's constructor called no wrap_model");
  if (!state_.optimizer) {
    throw std::invalid_argument("the trial's constructor called no wrap_optimizer");
  }
  check_optimizer(*state_.model, *state_.optimizer);
  training_ = trial_.training_data();
  validation_ = trial_.validation_data();
  if (!training_ || training_->size() == 0) throw std::invalid_argument("no training data");
  if (validation_ && validation_->size() == 0) throw std::invalid_argument("no validation data");

  const RunOptions& options = state_.options;
  const auto seed = static_cast<std::uint64_t>(options.seed);
  if (resume) restore(*resume);
  sampler_ = std::make_unique<Sampler>(training_->size(), options.batch, seed,
                                       resume ? resume->position : DataPosition{});
  validation_period_ =
      options.validation_period.steps(options.batch, sampler_->windows_per_epoch());
  checkpoint_period_ =
      options.checkpoint_period.steps(options.batch, sampler_->windows_per_epoch());
  communicator_.meet();  // a rank may have waited for its data
  runner_ = std::make_unique<StepRunner>(trial_, *training_, state_, communicator_, normalisation);
}

Trainer::~Trainer() = default;

void Trainer::restore(const Manifest& manifest) {
  const std::string& folder = state_.options.resume_from;
  if (manifest.samples != training_->size() || manifest.position.cursor < 0 ||
      manifest.position.cursor >= manifest.samples || manifest.position.epoch < 0) {
    throw std::runtime_error(cat("checkpoint ", folder, " stands at sample ",
                                 manifest.position.cursor, " of ", manifest.samples,
                                 ", but the training data has ", training_->size()));
  }
  load_checkpoint(folder, manifest, {*state_.model, *state_.optimizer}, communicator_.rank(),
                  communicator_.size());
  trial_.load_state(manifest.trial_state);
  step_ = state_.step = saved_step_ = validated_step_ = manifest.step;
  loss_ = manifest.loss;
}

Outcome Trainer::train() {
  if (step_ == 0 && state_.options.initial_validation) run_validation();
  Orders orders = runner_->agree();
  while (step_ < state_.options.steps && !orders.stop && !orders.preempt && !orders.finish) {
    const StepResult result = advance();
    orders = result.orders;
    if (orders.stop) break;  // nobody waits for more
    after_step(result);
  }
  return end(orders);
}

StepResult Trainer::advance() {
  state_.step = ++step_;
  state_.epoch = epoch();
  const StepResult result = runner_->run(sampler_->next(), step_);
  note(result);
  return result;
}

void Trainer::note(const StepResult& result) {
  loss_ = result.global.mean();
  unreported_ = true;
  own_.add(result.own.sum, result.own.weight, result.own.sums);
  global_.add(result.global.sum, result.global.weight);
  if (std::isfinite(loss_)) return;
  const std::string message =
      cat("the loss of step ", step_, " is ", loss_, " (this rank's share: ", result.own.sum, ")");
  if (state_.options.fail_on_nonfinite) throw std::runtime_error(message);
  std::fprintf(stderr, "dovetail: WARNING: rank %d: %s\n", communicator_.rank(), message.c_str());
}

void Trainer::after_step(const StepResult& result) {
  const bool is_last = step_ == state_.options.steps || result.orders.finish;
  const bool validates = validation_ && (is_last || is_due(validation_period_));
  const bool saves = is_last || result.orders.preempt || is_due(checkpoint_period_);
  if (validates || saves || is_due(state_.options.report_period)) report_training();
  if (validates) run_validation();
  if (validates || saves) report_progress();
  if (saves) save();
}

Outcome Trainer::end(const Orders& orders) {
  if (step_ >= state_.options.steps || orders.finish) {
    if (validation_ && validated_step_ != step_) run_validation();
    return Outcome::completed;
  }
  if (orders.stop) {
    report_training();
    return Outcome::stopped;
  }
  save();
  return Outcome::preempted;
}

void Trainer::report_training() {
  if (!unreported_) return;
  unreported_ = false;
  // A shim hears every rank's own means; on a terminal rank 0 speaks for all. A rank that had no
  // samples has no mean of its own, and says that of all.
  if (!state_.reporter.has_shim()) sum_over_ranks(own_);
  if (own_.weight == 0) own_.sum = global_.sum, own_.weight = global_.weight;
  dovetail::Metrics values;
  for (const auto& [name, sum] : own_.sums) values[name] = sum / own_.weight;
  values["loss"] = own_.mean();
  state_.reporter.metrics("training", step_, epoch(), values);
  own_ = {};
  global_ = {};
}

void Trainer::sum_over_ranks(LossSum& loss) {
  std::vector<std::string> names;
  for (const auto& [name, sum] : loss.sums) names.push_back(name);
  names = communicator_.unite(names);
  const auto table = torch::zeros({static_cast<std::int64_t>(names.size())}, torch::kDouble);
  auto* const cells = table.data_ptr<double>();
  for (std::size_t i = 0; i < names.size(); ++i) cells[i] = loss.sums[names[i]];
  communicator_.sum(table);
  for (std::size_t i = 0; i < names.size(); ++i) loss.sums[names[i]] = cells[i];
  loss.sum = global_.sum;
  loss.weight = global_.weight;
}

void Trainer::run_validation() {
  dovetail::Metrics values = validate(trial_, *validation_, state_, communicator_);
  validated_step_ = step_;
  values["batches"] = static_cast<double>(step_);
  values["epochs"] = epoch();
  if (communicator_.rank() == 0) {
    state_.reporter.metrics("validation", step_, epoch(), values);
  }
}

void Trainer::report_progress() {
  if (communicator_.rank() != 0) return;
  state_.reporter.progress(static_cast<double>(step_) / static_cast<double>(state_.options.steps));
}

void Trainer::save() {
  const std::string& folder = state_.options.checkpoint_dir;
  if (folder.empty() || saved_step_ == step_) return;
  const std::string id = communicator_.gather_text(random_uuid())[0];
  const auto rng_states = communicator_.gather(rng_state());
  if (communicator_.rank() == 0) {
    Manifest manifest;
    manifest.step = step_;
    manifest.position = sampler_->position();
    manifest.samples = training_->size();
    manifest.seed = state_.options.seed;
    manifest.batch = state_.options.batch;
    manifest.size = communicator_.size();
    manifest.loss = loss_;
    manifest.lr_factor = state_.lr_factor ? state_.lr_factor(step_) : 1;
    manifest.trial_state = trial_.save_state();
    const auto files =
        write_checkpoint(folder, id, {*state_.model, *state_.optimizer}, rng_states, manifest);
    Value metadata;
    metadata.set("steps_completed", step_).set("framework", "dovetail.trial");
    state_.reporter.checkpoint(id, step_, files, std::move(metadata));
  }
  communicator_.meet();  // the others wait until it is written
  saved_step_ = step_;
}

double Trainer::epoch() const {
  const DataPosition position = sampler_->position();
  return static_cast<double>(position.epoch) +
         static_cast<double>(position.cursor) / static_cast<double>(training_->size());
}

}  // namespace dt::trial
