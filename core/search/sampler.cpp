#include "core/search/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/overload.h"
#include "core/search/snapshot.h"

namespace dt::core {

namespace {

bool varies(const Hyperparameter& parameter) {
  return std::visit(
      Overload{
          [](const ConstParameter&) { return false; },
          [](const IntParameter& p) { return p.minval + 1 < p.maxval; },  // [minval, maxval)
          [](const DoubleParameter&) { return true; },
          [](const LogParameter&) { return true; },
          [](const CategoricalParameter& p) { return p.vals.size() > 1; },
          [](const NestedParameter& p) { return can_vary(p.params); },
      },
      parameter.kind);
}

// Four draws, the bytes of each from the low end, with the bits of a version 4 UUID set.
std::string draw_uuid(NumpyRandom& random) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    const std::uint32_t word = random.bits32();
    for (std::size_t j = 0; j < 4; ++j) bytes[i + j] = static_cast<std::uint8_t>(word >> (8 * j));
  }
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 0x0f];
  }
  return text;
}

}  // namespace

Value sample_parameter(const Hyperparameter& parameter, NumpyRandom& random) {
  return std::visit(
      Overload{
          [](const ConstParameter& p) { return p.val; },
          [&](const IntParameter& p) { return Value(random.integer(p.minval, p.maxval)); },
          [&](const DoubleParameter& p) { return Value(random.uniform(p.minval, p.maxval)); },
          [&](const LogParameter& p) {
            return Value(std::pow(p.base, random.uniform(p.minval, p.maxval)));
          },
          [&](const CategoricalParameter& p) {
            VERIFY(!p.vals.empty(), "a categorical hyperparameter without values");
            return p.vals[random.up_to(p.vals.size() - 1)];
          },
          [&](const NestedParameter& p) { return sample_space(p.params, random); },
      },
      parameter.kind);
}

Value sample_space(const HyperparameterSpace& space, NumpyRandom& random) {
  Value::Object sample;
  for (const auto& [name, parameter] : space) {
    sample.emplace(name, sample_parameter(parameter, random));
  }
  return sample;
}

bool can_vary(const HyperparameterSpace& space) {
  return std::any_of(space.begin(), space.end(),
                     [](const auto& member) { return varies(member.second); });
}

TrialMaker::TrialMaker(HyperparameterSpace space, std::uint32_t seed, SamplerKind sampler)
    : space_(std::move(space)), can_vary_(core::can_vary(space_)), random_(seed) {
  if (sampler == SamplerKind::tpe) tpe_.emplace(space_);
}

CreateTrial TrialMaker::sampled() {
  return with(tpe_ ? tpe_->propose(random_) : sample_space(space_, random_));
}

void TrialMaker::observe(SearchTrial trial, std::int64_t level, double metric) {
  if (tpe_) tpe_->observe(trial, level, metric);
}

void TrialMaker::fail(SearchTrial trial) {
  if (tpe_) tpe_->fail(trial);
}

void TrialMaker::learn(const Value& hparams, double metric) {
  if (tpe_) tpe_->learn(hparams, metric);
}

CreateTrial TrialMaker::with(Value hparams) {
  CreateTrial create;
  create.trial = created_++;
  create.request_id = draw_uuid(random_);
  create.trial_seed = static_cast<std::uint32_t>(random_.integer(0, std::int64_t{1} << 31));
  create.hparams = std::move(hparams);
  return create;
}

Value TrialMaker::snapshot() const {
  Value snapshot = Value::Object{{"created", created_}, {"random", random_.snapshot()}};
  if (tpe_) snapshot.set("tpe", tpe_->snapshot());
  return snapshot;
}

Status TrialMaker::restore(const Value& snapshot) {
  const int created = TRY(snapshot_int(snapshot, "created"));
  TRY(random_.restore(snapshot["random"]));
  if (tpe_) TRY(tpe_->restore(snapshot["tpe"], created));
  created_ = created;
  return {};
}

}  // namespace dt::core
