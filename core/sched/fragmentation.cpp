#include "core/sched/fragmentation.h"

#include <cmath>
#include <map>
#include <set>

namespace dt::core {
namespace {

constexpr double popular_share = 0.95;
constexpr double fgd_steps = 100;
// Best fit decides between nodes whose fragmentation differs by less than about a twentieth of a
// slot (docs/decisions/0018-placement.md).
constexpr double best_fit_steps = 100;

double squashed(double gain) { return 1 / (1 + std::exp(-gain)); }

// The most frequent shapes that make up the popular share, as shares of their sum.
std::vector<std::pair<Shape, double>> popular(std::vector<std::pair<Shape, int>> counts) {
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  double total = 0;
  for (const auto& [shape, count] : counts) total += count;
  std::vector<std::pair<Shape, double>> shares;
  double sum = 0;
  for (const auto& [shape, count] : counts) {
    if (sum >= popular_share * total) break;
    shares.emplace_back(shape, count);
    sum += count;
  }
  for (auto& [shape, share] : shares) share /= sum;
  return shares;
}

NodeState without(NodeState node, const Shape& shape, int share) {
  node.cpu_milli -= shape.cpu_milli;
  node.memory_mib -= shape.memory_mib;
  if (!shape.is_part()) {
    node.whole -= shape.slots;
    return node;
  }
  if (share < 0) {
    --node.whole;
    share = whole_slot;
  } else {
    node.shared.erase(std::find(node.shared.begin(), node.shared.end(), share));
  }
  const int left = share - shape.slot_milli;
  node.shared.insert(
      std::upper_bound(node.shared.begin(), node.shared.end(), left, std::greater<>()), left);
  return node;
}

// Looks at each different slot that a part could come from, the fullest first; for whole slots
// there is one way only. `score` rates what would be left.
template <class Score>
Fit best_way(const NodeState& node, const Shape& shape, Score score) {
  Fit best{.kind = Fit::Kind::none};
  const auto consider = [&](int share) {
    const double value = score(without(node, shape, share));
    if (best.kind == Fit::Kind::fits && value <= best.score) return;
    best = {.kind = Fit::Kind::fits, .share = share, .score = value};
  };
  if (!shape.is_part()) {
    consider(-1);
    return best;
  }
  int last = -1;
  for (auto share = node.shared.rbegin(); share != node.shared.rend(); ++share) {
    if (*share < shape.slot_milli || *share == last) continue;
    consider(last = *share);
  }
  if (node.whole > 0) consider(-1);
  return best;
}

}  // namespace

Workload::Workload(std::vector<std::pair<Shape, int>> counts, int models) {
  const auto shares = popular(std::move(counts));
  std::map<Kind, std::size_t> index;
  for (const auto& [shape, share] : shares) {
    if (shape.slots > 0) index[{shape.slots, shape.slot_milli, shape.single_node}] = 0;
  }
  for (auto& [kind, number] : index) {
    number = kinds_.size();
    kinds_.push_back(kind);
  }
  for (int model = 0; model < models; ++model) {
    std::map<int, std::vector<double>> by_cpu;
    for (const auto& [shape, share] : shares) {
      if (shape.slots == 0 || !shape.accepts(model)) continue;
      std::vector<double>& weights = by_cpu[shape.cpu_milli];
      weights.resize(kinds_.size());
      weights[index.at({shape.slots, shape.slot_milli, shape.single_node})] += share;
    }
    Table& table = tables_.emplace_back();
    for (auto& [cpu_milli, weights] : by_cpu) {
      for (std::size_t kind = 0; !table.weights.empty() && kind < weights.size(); ++kind) {
        weights[kind] += table.weights.back()[kind];
      }
      table.cpu_steps.push_back(cpu_milli);
      table.weights.push_back(weights);
    }
  }
}

double Workload::fragmentation(const NodeState& node) const {
  const int total = node.free_milli();
  if (total == 0 || tables_.empty()) return 0;
  const Table& table = tables_[static_cast<std::size_t>(node.model)];
  const auto step =
      std::upper_bound(table.cpu_steps.begin(), table.cpu_steps.end(), std::max(node.cpu_milli, 0));
  if (step == table.cpu_steps.begin()) return total;
  const auto& weights = table.weights[static_cast<std::size_t>(step - table.cpu_steps.begin()) - 1];
  const int in_parts = total - node.whole * whole_slot;
  double usable = 0;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const Kind& kind = kinds_[i];
    if (weights[i] == 0) continue;
    if (kind.slot_milli == whole_slot) {
      const bool as_one_of_many = kind.slots > node.slots && !kind.single_node && node.idle() &&
                                  kind.slots % node.slots == 0;
      if (node.whole >= kind.slots || as_one_of_many) usable += weights[i] * (total - in_parts);
      continue;
    }
    int large_enough = node.whole * whole_slot;
    for (const int milli : node.shared) {
      if (milli < kind.slot_milli) break;
      large_enough += milli;
    }
    usable += weights[i] * large_enough;
  }
  return total - usable;
}

Fit fit_by_fragmentation(const NodeState& node, const Shape& shape, const Workload& workload,
                         double fragmentation_now) {
  return best_way(node, shape, [&](const NodeState& left) {
    const double gain = (fragmentation_now - workload.fragmentation(left)) / whole_slot;
    return squashed(gain) - leftover(left) / best_fit_steps;
  });
}

Fit fit_by_fgd(const NodeState& node, const Shape& shape, const Workload& workload,
               double fragmentation_now) {
  return best_way(node, shape, [&](const NodeState& left) {
    const double gain = (fragmentation_now - workload.fragmentation(left)) / whole_slot;
    return std::floor(squashed(gain) * fgd_steps);
  });
}

}  // namespace dt::core
