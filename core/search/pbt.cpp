#include "core/search/pbt.h"

#include <algorithm>
#include <cmath>

#include "base/overload.h"
#include "core/search/rungs.h"
#include "core/search/snapshot.h"

namespace dt::core {

namespace {

Value whole_number(const IntParameter& p, double moved) {
  return std::clamp(static_cast<std::int64_t>(std::round(moved)), p.minval, p.maxval - 1);
}

}  // namespace

PbtMethod::PbtMethod(const PbtSearch& search, bool smaller_is_better,
                     const HyperparameterSpace& space, std::uint32_t seed)
    : search_(search), smaller_is_better_(smaller_is_better), space_(space), maker_(space, seed) {}

PbtMethod::Member* PbtMethod::find(SearchTrial trial) {
  const auto found = std::find_if(population_.begin(), population_.end(),
                                  [&](const Member& one) { return one.trial == trial; });
  return found == population_.end() ? nullptr : &*found;
}

// The trial becomes the member's present one; it is compared an interval after `time`.
CreateTrial PbtMethod::fill(std::size_t place, CreateTrial create, std::int64_t time) {
  population_[place] = {.trial = create.trial,
                        .hparams = create.hparams,
                        .open = true,
                        .time = time,
                        .next = (time / search_.interval + 1) * search_.interval,
                        .metric = std::nullopt};
  return create;
}

SearchOperations PbtMethod::initial_trials() {
  population_.resize(static_cast<std::size_t>(search_.population_size));
  SearchOperations operations;
  for (std::size_t place = 0; place < population_.size(); ++place) {
    operations.push_back(fill(place, maker_.sampled(), 0));
  }
  return operations;
}

// The members that have a value, the best first.
std::vector<std::size_t> PbtMethod::ranked() const {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < population_.size(); ++place) {
    if (population_[place].metric) places.push_back(place);
  }
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return *population_[a].metric < *population_[b].metric;
  });
  return places;
}

// One of the best, when `place` is among the worst.
std::optional<std::size_t> PbtMethod::better_one(std::size_t place, std::size_t known_at_least) {
  const std::vector<std::size_t> places = ranked();
  const auto share = search_.truncate_fraction * static_cast<double>(places.size());
  const auto count = static_cast<std::size_t>(std::max(std::floor(share), 1.0));
  if (places.size() < std::max(2 * count, known_at_least)) return std::nullopt;
  const bool is_worst = std::find(places.end() - static_cast<std::ptrdiff_t>(count), places.end(),
                                  place) != places.end();
  if (!is_worst) return std::nullopt;
  const std::size_t best = places[maker_.random().up_to(count - 1)];
  const bool is_better = *population_[best].metric < *population_[place].metric;
  return is_better ? std::optional(best) : std::nullopt;
}

std::optional<CreateTrial> PbtMethod::copy_into(std::size_t place, std::size_t known_at_least) {
  const std::optional<std::size_t> best = better_one(place, known_at_least);
  if (!best) return std::nullopt;
  const Member parent = population_[*best];
  CreateTrial create = maker_.with(explore(space_, parent.hparams));
  create.parent = parent.trial;
  return fill(place, std::move(create), parent.time);
}

Value PbtMethod::explore(const HyperparameterSpace& space, const Value& from) {
  Value::Object changed;
  for (const auto& [name, parameter] : space) changed.emplace(name, explore(parameter, from[name]));
  return changed;
}

Value PbtMethod::explore(const Hyperparameter& parameter, const Value& from) {
  if (const auto* nested = std::get_if<NestedParameter>(&parameter.kind)) {
    return explore(nested->params, from);
  }
  NumpyRandom& random = maker_.random();
  if (random.unit() < search_.resample_probability) return sample_parameter(parameter, random);
  const bool up = random.unit() < 0.5;
  const double factor = up ? 1 + search_.perturb_factor : 1 - search_.perturb_factor;
  return std::visit(
      Overload{
          [&](const IntParameter& p) { return whole_number(p, from.as_double() * factor); },
          [&](const DoubleParameter& p) {
            return Value(std::clamp(from.as_double() * factor, p.minval, p.maxval));
          },
          [&](const LogParameter& p) {
            const double one = std::pow(p.base, p.minval), other = std::pow(p.base, p.maxval);
            return Value(
                std::clamp(from.as_double() * factor, std::min(one, other), std::max(one, other)));
          },
          [&](const auto&) { return from; },  // there is no little step between choices
      },
      parameter.kind);
}

SearchOperations PbtMethod::validation_completed(const ValidationReport& report) {
  Member* member = find(report.trial);
  if (member == nullptr || !member->open) return {};
  member->time = std::max(member->time, report.time);
  const bool at_end = report.time >= search_.max_time;
  if (!at_end && report.time < member->next) return {};
  member->metric = judged_metric(report.metric, smaller_is_better_);
  member->next = (report.time / search_.interval + 1) * search_.interval;
  if (at_end) {
    member->open = false;
    return {StopTrial{report.trial}};
  }
  const auto place = static_cast<std::size_t>(member - population_.data());
  const std::optional<CreateTrial> copy = copy_into(place, population_.size() / 2 + 1);
  if (!copy) return {};
  return {StopTrial{report.trial}, *copy};
}

SearchOperations PbtMethod::trial_exited_early(SearchTrial trial, ExitReason reason) {
  Member* member = find(trial);
  if (member == nullptr || !member->open) return {};
  const auto place = static_cast<std::size_t>(member - population_.data());
  if (reason == ExitReason::invalid_hp) {
    if (maker_.can_vary()) return {fill(place, maker_.sampled(), 0)};
    member->open = false;
    return {};
  }
  member->open = false;
  if (reason == ExitReason::completed) return {};
  member->metric = worst_metric;
  if (reason == ExitReason::user_cancelled || ++crashes_ > search_.population_size) return {};
  const std::optional<CreateTrial> copy = copy_into(place, 0);
  if (!copy) return {};
  return {*copy};
}

SearchOperations PbtMethod::trial_exited(SearchTrial) { return {}; }

double PbtMethod::progress(double) const {
  double sum = 0;
  for (const Member& member : population_) {
    const double share = static_cast<double>(member.time) / static_cast<double>(search_.max_time);
    sum += member.open ? std::clamp(share, 0.0, 1.0) : 1;
  }
  return population_.empty() ? 0 : sum / static_cast<double>(population_.size());
}

Value PbtMethod::snapshot() const {
  Value::Array members;
  for (const Member& member : population_) {
    members.push_back(Value::Object{{"trial", member.trial},
                                    {"hparams", member.hparams},
                                    {"open", member.open},
                                    {"time", member.time},
                                    {"next", member.next},
                                    {"metric", member.metric ? Value(*member.metric) : Value()}});
  }
  return Value::Object{
      {"crashes", crashes_}, {"maker", maker_.snapshot()}, {"population", std::move(members)}};
}

Result<PbtMethod::Member> PbtMethod::member_of(const Value& snapshot, int trials) {
  Member member;
  member.trial = TRY(snapshot_int(snapshot, "trial", 0, trials - 1));
  const bool fits = snapshot["open"].is_bool() && snapshot["time"].is_int() &&
                    snapshot["next"].is_int() &&
                    (snapshot["metric"].is_null() || snapshot["metric"].is_number());
  if (!fits)
    return data_loss("searcher snapshot: the member of trial ", member.trial, " is broken");
  member.hparams = snapshot["hparams"];
  member.open = snapshot["open"].as_bool();
  member.time = snapshot["time"].as_int();
  member.next = snapshot["next"].as_int();
  if (snapshot["metric"].is_number()) member.metric = snapshot["metric"].as_double();
  return member;
}

Status PbtMethod::restore(const Value& snapshot) {
  crashes_ = TRY(snapshot_int(snapshot, "crashes"));
  TRY(maker_.restore(snapshot["maker"]));
  const Value& members = snapshot["population"];
  if (!members.is_array()) return data_loss("searcher snapshot: 'population' must be a list");
  for (const Value& member : members.as_array()) {
    population_.push_back(TRY(member_of(member, maker_.created())));
  }
  return {};
}

}  // namespace dt::core
