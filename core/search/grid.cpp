#include "core/search/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/overload.h"

namespace dt::core {

namespace {

constexpr std::int64_t most_points = std::int64_t{1} << 62;

template <class Parameter>
std::int64_t count_of(const Parameter& parameter) {
  VERIFY(parameter.count && *parameter.count >= 1, "grid axis without a count");
  return *parameter.count;
}

std::int64_t axis_size(const IntParameter& p) {
  const std::uint64_t width =
      static_cast<std::uint64_t>(p.maxval) - static_cast<std::uint64_t>(p.minval);
  const std::int64_t count = count_of(p);  // no more points than there are integers
  return static_cast<std::uint64_t>(count) - 1 > width ? static_cast<std::int64_t>(width) + 1
                                                       : count;
}

// minval + step * (maxval - minval) / steps, rounded to the nearest, halves away from zero; in
// integers, so it is exact beyond 2^53 too.
std::int64_t int_point(const IntParameter& p, std::uint64_t step, std::uint64_t steps) {
  const std::uint64_t width =
      static_cast<std::uint64_t>(p.maxval) - static_cast<std::uint64_t>(p.minval);
  const std::uint64_t rest = step * (width % steps);
  const std::uint64_t whole = step * (width / steps) + rest / steps;
  const auto below = static_cast<std::int64_t>(static_cast<std::uint64_t>(p.minval) + whole);
  const std::uint64_t remainder = rest % steps;
  const std::uint64_t to_next = steps - remainder;
  const bool up = remainder > to_next || (remainder == to_next && below >= 0);
  return up ? below + 1 : below;
}

double real_point(double minval, double maxval, std::int64_t index, std::int64_t count) {
  if (count == 1) return std::midpoint(minval, maxval);
  return minval + static_cast<double>(index) * (maxval - minval) / static_cast<double>(count - 1);
}

Value int_axis_point(const IntParameter& p, std::int64_t index) {
  const std::int64_t count = axis_size(p);
  if (count == 1) return int_point(p, 1, 2);
  return int_point(p, static_cast<std::uint64_t>(index), static_cast<std::uint64_t>(count) - 1);
}

void append_axis_sizes(const HyperparameterSpace& space, std::vector<std::int64_t>& sizes) {
  for (const auto& [name, parameter] : space) {
    std::visit(Overload{
                   [&](const ConstParameter&) { sizes.push_back(1); },
                   [&](const IntParameter& p) { sizes.push_back(axis_size(p)); },
                   [&](const DoubleParameter& p) { sizes.push_back(count_of(p)); },
                   [&](const LogParameter& p) { sizes.push_back(count_of(p)); },
                   [&](const CategoricalParameter& p) {
                     sizes.push_back(static_cast<std::int64_t>(p.vals.size()));
                   },
                   [&](const NestedParameter& p) { append_axis_sizes(p.params, sizes); },
               },
               parameter.kind);
  }
}

using Indices = std::vector<std::int64_t>;

// Walks the space in the order of append_axis_sizes(), taking one index a leaf.
Value build_point(const HyperparameterSpace& space, Indices::const_iterator& index) {
  Value::Object point;
  for (const auto& [name, parameter] : space) {
    Value value = std::visit(
        Overload{
            [&](const ConstParameter& p) { return ++index, p.val; },
            [&](const IntParameter& p) { return int_axis_point(p, *index++); },
            [&](const DoubleParameter& p) {
              return Value(real_point(p.minval, p.maxval, *index++, *p.count));
            },
            [&](const LogParameter& p) {
              return Value(std::pow(p.base, real_point(p.minval, p.maxval, *index++, *p.count)));
            },
            [&](const CategoricalParameter& p) {
              return p.vals[static_cast<std::size_t>(*index++)];
            },
            [&](const NestedParameter& p) { return build_point(p.params, index); },
        },
        parameter.kind);
    point.emplace(name, std::move(value));
  }
  return point;
}

}  // namespace

GridSpace::GridSpace(HyperparameterSpace space) : space_(std::move(space)) {
  append_axis_sizes(space_, axis_sizes_);
  for (const std::int64_t axis : axis_sizes_) {
    size_ = axis > 0 && size_ > most_points / axis ? most_points : size_ * axis;
  }
}

Value GridSpace::point(std::int64_t number) const {
  VERIFY(number >= 0 && number < size_, "point ", number, " of ", size_);
  Indices indices(axis_sizes_.size());
  for (std::size_t i = indices.size(); i-- > 0;) {
    indices[i] = number % axis_sizes_[i];
    number /= axis_sizes_[i];
  }
  Indices::const_iterator first = indices.begin();
  return build_point(space_, first);
}

GridMethod::GridMethod(const GridSearch& search, const HyperparameterSpace& space,
                       std::uint32_t seed)
    : search_(search), grid_(space), maker_(space, seed) {}

CreateTrial GridMethod::next() {
  return maker_.with(grid_.point(grid_.size() - 1 - maker_.created()));
}

SearchOperations GridMethod::initial_trials() {
  std::int64_t trials = grid_.size();
  if (search_.max_concurrent_trials > 0) {
    trials = std::min<std::int64_t>(trials, search_.max_concurrent_trials);
  }
  SearchOperations operations;
  for (std::int64_t i = 0; i < trials; ++i) operations.push_back(next());
  return operations;
}

SearchOperations GridMethod::validation_completed(const ValidationReport&) { return {}; }

SearchOperations GridMethod::trial_exited_early(SearchTrial, ExitReason) { return {}; }

SearchOperations GridMethod::trial_exited(SearchTrial) {
  if (maker_.created() >= grid_.size()) return {};
  return {next()};
}

double GridMethod::progress(double trials_done) const {
  return std::clamp(trials_done / static_cast<double>(grid_.size()), 0.0, 1.0);
}

Value GridMethod::snapshot() const { return Value::Object{{"maker", maker_.snapshot()}}; }

Status GridMethod::restore(const Value& snapshot) { return maker_.restore(snapshot["maker"]); }

}  // namespace dt::core
