#include "core/search/tpe_sampler.h"

#include <algorithm>
#include <cmath>

#include "base/overload.h"
#include "core/search/parzen.h"
#include "core/search/point.h"
#include "core/search/rungs.h"
#include "core/search/sampler.h"
#include "core/search/snapshot.h"

namespace dt::core {

namespace {

constexpr int startup_trials = 10;
constexpr int candidates = 24;
constexpr std::int64_t most_good = 25;
constexpr std::size_t most_others = 1000;

// A value has half a unit to each side.
ParzenAxis axis_of(const IntParameter& p) {
  return {.low = static_cast<double>(p.minval) - 0.5, .high = static_cast<double>(p.maxval) - 0.5};
}
ParzenAxis axis_of(const DoubleParameter& p) { return {.low = p.minval, .high = p.maxval}; }
ParzenAxis axis_of(const LogParameter& p) { return {.low = p.minval, .high = p.maxval}; }
ParzenAxis axis_of(const CategoricalParameter& p) {
  return {.low = 0, .high = 1, .choices = static_cast<int>(p.vals.size())};
}

void append_axes(const HyperparameterSpace& space, std::vector<ParzenAxis>& axes) {
  for (const auto& [name, parameter] : space) {
    std::visit(Overload{
                   [](const ConstParameter&) {},
                   [&](const NestedParameter& p) { append_axes(p.params, axes); },
                   [&](const auto& p) { axes.push_back(axis_of(p)); },
               },
               parameter.kind);
  }
}

using Coordinates = std::vector<double>::const_iterator;

Value int_at(const IntParameter& p, double coordinate) {
  const double nearest = std::floor(coordinate + 0.5);
  return std::clamp(static_cast<std::int64_t>(nearest), p.minval, p.maxval - 1);
}

// Walks the space in the order of append_axes(), taking one coordinate an axis.
Value point_at(const HyperparameterSpace& space, Coordinates& coordinate) {
  Value::Object point;
  for (const auto& [name, parameter] : space) {
    Value value = std::visit(
        Overload{
            [](const ConstParameter& p) { return p.val; },
            [&](const IntParameter& p) { return int_at(p, *coordinate++); },
            [&](const DoubleParameter& p) {
              return Value(std::clamp(*coordinate++, p.minval, p.maxval));
            },
            [&](const LogParameter& p) { return Value(std::pow(p.base, *coordinate++)); },
            [&](const CategoricalParameter& p) {
              return p.vals[static_cast<std::size_t>(*coordinate++)];
            },
            [&](const NestedParameter& p) { return point_at(p.params, coordinate); },
        },
        parameter.kind);
    point.emplace(name, std::move(value));
  }
  return point;
}

double coordinate_of(const CategoricalParameter& p, const Value& value) {
  return static_cast<double>(std::find(p.vals.begin(), p.vals.end(), value) - p.vals.begin());
}

// The reverse of point_at(), of a point of the space.
void append_coordinates(const HyperparameterSpace& space, const Value& point,
                        std::vector<double>& coordinates) {
  for (const auto& [name, parameter] : space) {
    const Value& value = point[name];
    std::visit(
        Overload{
            [](const ConstParameter&) {},
            [&](const NestedParameter& p) { append_coordinates(p.params, value, coordinates); },
            [&](const CategoricalParameter& p) { coordinates.push_back(coordinate_of(p, value)); },
            [&](const LogParameter& p) {
              coordinates.push_back(std::log(value.as_double()) / std::log(p.base));
            },
            [&](const auto&) { coordinates.push_back(value.as_double()); },
        },
        parameter.kind);
  }
}

// Each axis uniformly: what the first trials are.
std::vector<double> uniform_point(const std::vector<ParzenAxis>& axes, NumpyRandom& random) {
  std::vector<double> point;
  for (const ParzenAxis& axis : axes) {
    const auto last = static_cast<std::uint64_t>(std::max(axis.choices, 1) - 1);
    point.push_back(axis.choices > 0 ? static_cast<double>(random.up_to(last))
                                     : random.uniform(axis.low, axis.high));
  }
  return point;
}

}  // namespace

TpeSampler::TpeSampler(HyperparameterSpace space) : space_(std::move(space)) {}

void TpeSampler::place(SearchTrial number, std::int64_t level, double metric) {
  Trial& trial = trials_.at(static_cast<std::size_t>(number));
  pending_.erase(number);
  trial.level = level;
  trial.metric = metric;
  levels_.try_emplace(level, Ranking::Ties::by_trial).first->second.insert({metric, number});
}

void TpeSampler::observe(SearchTrial number, std::int64_t level, double metric) {
  const Trial& trial = trials_.at(static_cast<std::size_t>(number));
  if (trial.level && level < *trial.level) return;
  if (trial.level) levels_.at(*trial.level).erase({trial.metric, number});
  place(number, level, metric);
}

// The worst of all, however far it got.
void TpeSampler::fail(SearchTrial number) {
  const Trial& trial = trials_.at(static_cast<std::size_t>(number));
  if (trial.level) levels_.at(*trial.level).erase({trial.metric, number});
  place(number, -1, worst_metric);
}

void TpeSampler::learn(const Value& hparams, double metric) {
  if (!check_point(space_, hparams).ok()) return;
  Point point;
  append_coordinates(space_, hparams, point);
  earlier_.push_back(std::move(point));
  const int number = -static_cast<int>(earlier_.size());
  levels_.try_emplace(0, Ranking::Ties::by_trial).first->second.insert({metric, number});
}

const TpeSampler::Point& TpeSampler::point_of(SearchTrial number) const {
  const bool is_earlier = number < 0;
  const auto index = static_cast<std::size_t>(is_earlier ? -1 - number : number);
  return is_earlier ? earlier_[index] : trials_[index].point;
}

TpeSampler::Groups TpeSampler::groups() const {
  const auto tenth = static_cast<std::int64_t>(std::ceil(0.1 * observed()));
  const auto good = static_cast<std::size_t>(std::min(tenth, most_good));
  Groups groups;
  std::vector<const Point*> rest;
  for (const auto& [level, ranking] : levels_) {
    for (const RungEntry& entry : ranking.list()) {
      const Point& point = point_of(entry.trial);
      const bool is_good = groups.good.size() < good && entry.metric != worst_metric;
      (is_good ? groups.good : rest).push_back(&point);
    }
  }
  const std::size_t kept = std::min(rest.size(), most_others);
  for (std::size_t i = 0; i < kept; ++i) groups.others.push_back(rest[i * rest.size() / kept]);
  for (const SearchTrial trial : pending_) {
    groups.others.push_back(&trials_[static_cast<std::size_t>(trial)].point);
  }
  return groups;
}

TpeSampler::Point TpeSampler::draw(NumpyRandom& random) const {
  std::vector<ParzenAxis> axes;
  append_axes(space_, axes);
  if (observed() < startup_trials) return uniform_point(axes, random);
  const Groups found = groups();
  const Parzen good(axes, found.good), others(axes, found.others);
  Point best;
  double best_ratio = 0;
  for (int i = 0; i < candidates; ++i) {
    Point point = good.draw(random);
    const double ratio = good.log_density(point) - others.log_density(point);
    if (!best.empty() && ratio <= best_ratio) continue;
    best = std::move(point);
    best_ratio = ratio;
  }
  return best;
}

Value TpeSampler::propose(NumpyRandom& random) {
  Point point = draw(random);
  Coordinates first = point.begin();
  Value hparams = point_at(space_, first);
  pending_.insert(static_cast<SearchTrial>(trials_.size()));
  trials_.push_back({.point = std::move(point), .level = std::nullopt});
  return hparams;
}

Value TpeSampler::snapshot() const {
  Value::Array points, levels;
  std::vector<double> metrics;
  for (const Trial& trial : trials_) {
    points.push_back(snapshot_of(trial.point));
    levels.push_back(trial.level ? Value(*trial.level) : Value());
    metrics.push_back(trial.metric);
  }
  return Value::Object{{"points", std::move(points)},
                       {"levels", std::move(levels)},
                       {"metrics", snapshot_of(metrics)}};
}

Status TpeSampler::restore(const Value& snapshot, int trials) {
  const auto count = static_cast<std::size_t>(trials);
  const Value& points = snapshot["points"];
  const Value& levels = snapshot["levels"];
  const std::vector<double> metrics = TRY(snapshot_numbers(snapshot, "metrics"));
  std::vector<ParzenAxis> axes;
  append_axes(space_, axes);
  const bool fits = points.is_array() && levels.is_array() && points.as_array().size() == count &&
                    levels.as_array().size() == count && metrics.size() == count;
  if (!fits) return data_loss("searcher snapshot: 'tpe' is not of ", trials, " trials");
  for (std::size_t i = 0; i < count; ++i) {
    const Value one = Value::Object{{"point", points.as_array()[i]}};
    Point point = TRY(snapshot_numbers(one, "point"));
    if (point.size() != axes.size()) {
      return data_loss("searcher snapshot: a point has ", point.size(), " coordinates, not ",
                       axes.size());
    }
    const auto number = static_cast<SearchTrial>(i);
    trials_.push_back({.point = std::move(point), .level = std::nullopt});
    const Value& level = levels.as_array()[i];
    if (level.is_int()) {
      place(number, level.as_int(), metrics[i]);
    } else {
      pending_.insert(number);
    }
  }
  return {};
}

}  // namespace dt::core
