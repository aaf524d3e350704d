#include "core/sched/nodes.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/rng.h"
#include "base/verify.h"
#include "core/sched/fitting.h"

namespace dt::core {
namespace {

constexpr int most_plain_slots = 1 << 16;

// Best and worst fit. Requests without CPU are rated as Determined does it.
double score_of(FitPolicy policy, const NodeState& node, const Shape& shape) {
  const bool best = policy == FitPolicy::best;
  if (shape.cpu_milli > 0) return best ? -leftover(node) : leftover(node);
  if (shape.slots == 0 && node.whole == node.slots) {
    const int free_places = node.max_zero_slot - node.zero_slot;
    if (node.max_zero_slot == 0) return 0;
    return best ? 1.0 / (1 + free_places) : static_cast<double>(free_places) / node.max_zero_slot;
  }
  const double empty = node.free_milli() / static_cast<double>(whole_slot);
  if (best) return 1 / (1 + empty);
  return node.slots == 0 ? 0 : empty / node.slots;
}

// The slot that a part comes from: the fullest that has room, or for worst fit the emptiest.
int share_for(FitPolicy policy, const NodeState& node, const Shape& shape) {
  if (!shape.is_part()) return -1;
  if (policy == FitPolicy::worst && node.whole > 0) return -1;
  int share = -1;
  for (const int milli : node.shared) {
    if (milli < shape.slot_milli) break;
    share = milli;
    if (policy == FitPolicy::worst) break;
  }
  return share;
}

NodeState state_of(const AgentCapacity& agent, int model) {
  NodeState state;
  state.slots = offered_slots(agent);
  state.whole = std::max(state.slots - agent.used, 0);
  if (agent.state == AgentState::enabled) state.shared = agent.shared;
  state.max_zero_slot = agent.state == AgentState::enabled ? agent.max_zero_slot : 0;
  state.zero_slot = agent.zero_slot;
  state.cpu_milli = agent.cpu_milli;
  state.memory_mib = agent.memory_mib;
  state.model = model;
  return state;
}

}  // namespace

Nodes::Nodes(const std::vector<AgentCapacity>& agents, const PoolConfig& config,
             const std::vector<SlotRequest>& typical)
    : config_(config) {
  ties_by_hash_ = config.fit == FitPolicy::best || config.fit == FitPolicy::worst;
  models_[""] = 0;
  for (const AgentCapacity& agent : agents) {
    const int model = models_.emplace(agent.model, static_cast<int>(models_.size())).first->second;
    const std::uint64_t hash = agent.hash != 0 ? agent.hash : hash_of(agent.id.value);
    nodes_.push_back({.id = agent.id,
                      .hash = ties_by_hash_ ? hash : 0,
                      .state = state_of(agent, model),
                      .closed = agent.state != AgentState::enabled});
    const NodeState& state = nodes_.back().state;
    totals_.slots += state.slots;
    totals_.zero_slot_places += std::max(state.max_zero_slot - state.zero_slot, 0);
    totals_.largest = std::max(totals_.largest, state.slots);
  }
  totals_.nodes = static_cast<int>(nodes_.size());
  std::sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
  if (config.fit == FitPolicy::fgd || config.fit == FitPolicy::fragmentation) {
    std::map<int, int> counts;
    for (const SlotRequest& request : typical) ++counts[shape_of(request)];
    std::vector<std::pair<Shape, int>> shapes;
    for (const auto& [shape, count] : counts) {
      shapes.emplace_back(shapes_[static_cast<std::size_t>(shape)], count);
    }
    workload_ = Workload(std::move(shapes), static_cast<int>(models_.size()));
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    index_.emplace_hint(index_.end(), nodes_[i].id, static_cast<int>(i));
    enter_class(static_cast<int>(i));
  }
}

int Nodes::shape_of(const SlotRequest& request) {
  const bool plain = request.models.empty() && request.slot_milli == whole_slot &&
                     request.cpu_milli == 0 && request.memory_mib == 0 && !request.single_node &&
                     request.slots >= 0 && request.slots < most_plain_slots;
  const auto slots = static_cast<std::size_t>(plain ? request.slots : 0);
  if (plain && slots < plain_shapes_.size() && plain_shapes_[slots] >= 0) {
    return plain_shapes_[slots];
  }
  Shape shape{.slots = request.slots,
              .slot_milli = request.slot_milli,
              .cpu_milli = request.cpu_milli,
              .memory_mib = request.memory_mib,
              .single_node = request.single_node};
  for (const std::string& model : request.models) {
    const auto found = models_.find(model);
    shape.models.push_back(found == models_.end() ? -1 : found->second);
  }
  std::sort(shape.models.begin(), shape.models.end());
  const int index = index_of(std::move(shape));
  if (plain) {
    if (plain_shapes_.size() <= slots) plain_shapes_.resize(slots + 1, -1);
    plain_shapes_[slots] = index;
  }
  return index;
}

int Nodes::index_of(Shape shape) {
  const auto found = shape_index_.emplace(shape, static_cast<int>(shapes_.size()));
  if (found.second) {
    shapes_.push_back(std::move(shape));
    fits_.emplace_back();
  }
  return found.first->second;
}

void Nodes::enter_class(int number) {
  Node& node = nodes_[static_cast<std::size_t>(number)];
  NodeState sorted = node.state;
  sorted.whole += static_cast<int>(std::erase(sorted.shared, whole_slot));
  std::sort(sorted.shared.begin(), sorted.shared.end(), std::greater<>());
  const auto found = class_of_.emplace(std::move(sorted), static_cast<int>(classes_.size()));
  if (found.second) {
    Class& added = classes_.emplace_back();
    added.state = found.first->first;
    added.fragmentation = workload_.fragmentation(added.state);
  }
  node.class_id = found.first->second;
  Class& home = classes_[static_cast<std::size_t>(node.class_id)];
  home.members.emplace(node.hash, number);
  totals_.empty += home.state.whole;
  if (home.live >= 0) return;
  home.live = static_cast<int>(live_.size());
  live_.push_back(node.class_id);
}

void Nodes::leave_class(int number) {
  const Node& node = nodes_[static_cast<std::size_t>(number)];
  Class& home = classes_[static_cast<std::size_t>(node.class_id)];
  home.members.erase({node.hash, number});
  totals_.empty -= home.state.whole;
  if (!home.members.empty()) return;
  live_[static_cast<std::size_t>(home.live)] = live_.back();
  classes_[static_cast<std::size_t>(live_.back())].live = home.live;
  live_.pop_back();
  home.live = -1;
}

const Fit& Nodes::fit_of(int shape_id, int class_id) {
  std::vector<Fit>& known = fits_[static_cast<std::size_t>(shape_id)];
  if (known.size() < classes_.size()) known.resize(classes_.size());
  Fit& fit = known[static_cast<std::size_t>(class_id)];
  if (fit.kind != Fit::Kind::unknown) return fit;
  const Class& nodes = classes_[static_cast<std::size_t>(class_id)];
  const Shape& shape = shapes_[static_cast<std::size_t>(shape_id)];
  if (!holds(nodes.state, shape)) {
    fit.kind = Fit::Kind::none;
  } else if (config_.fit == FitPolicy::fgd) {
    fit = fit_by_fgd(nodes.state, shape, workload_, nodes.fragmentation);
  } else if (config_.fit == FitPolicy::fragmentation) {
    fit = fit_by_fragmentation(nodes.state, shape, workload_, nodes.fragmentation);
  } else {
    fit = {.kind = Fit::Kind::fits,
           .share = share_for(config_.fit, nodes.state, shape),
           .score = score_of(config_.fit, nodes.state, shape)};
  }
  return fit;
}

bool Nodes::is_blocked(const SlotRequest& request, int node) const {
  return !request.blocked.empty() &&
         request.blocked.contains(nodes_[static_cast<std::size_t>(node)].id);
}

std::vector<int> Nodes::nearest(const SlotRequest& request, const std::vector<int>& classes,
                                std::size_t count) const {
  const std::uint64_t hash = ties_by_hash_ ? hash_of(request.id) : 0;
  std::vector<std::tuple<std::uint64_t, int>> found;  // distance, node
  for (const int class_id : classes) {
    const auto& members = classes_[static_cast<std::size_t>(class_id)].members;
    std::size_t taken = 0;
    const auto visit = [&](const std::pair<std::uint64_t, int>& member) {
      if (is_blocked(request, member.second)) return;
      found.emplace_back(hash - member.first, member.second);
      ++taken;
    };
    if (!ties_by_hash_) {
      for (auto it = members.begin(); it != members.end() && taken < count; ++it) visit(*it);
      continue;
    }
    // Downwards from the request's hash, then around; the largest hash below it is nearest. Equal
    // hashes of different nodes do not happen.
    auto it = members.upper_bound({hash, static_cast<int>(nodes_.size())});
    for (std::size_t i = 0; i < members.size() && taken < count; ++i) {
      if (it == members.begin()) it = members.end();
      visit(*--it);
    }
  }
  std::sort(found.begin(), found.end());
  if (found.size() > count) found.resize(count);
  std::vector<int> nodes;
  for (const auto& [distance, node] : found) nodes.push_back(node);
  return nodes;
}

Nodes::Best Nodes::best_classes(const SlotRequest& request, int shape) {
  Best best;
  for (const int class_id : live_) {
    const Fit& fit = fit_of(shape, class_id);
    if (fit.kind != Fit::Kind::fits) continue;
    if (!best.classes.empty() && fit.score < best.score) continue;
    if (!request.blocked.empty() && nearest(request, {class_id}, 1).empty()) continue;
    if (!best.classes.empty() && fit.score > best.score) best.classes.clear();
    best.score = fit.score;
    best.classes.push_back(class_id);
  }
  return best;
}

Placement Nodes::placement_on(const SlotRequest& request, int number, const Fit& fit) const {
  const Node& node = nodes_[static_cast<std::size_t>(number)];
  Placement placement{.agent = node.id, .slots = request.slots};
  if (request.slots != 1 || request.slot_milli == whole_slot) return placement;
  placement.slot_milli = request.slot_milli;
  const auto& shared = node.state.shared;
  const auto found =
      fit.share < 0 ? shared.end() : std::find(shared.begin(), shared.end(), fit.share);
  placement.shared = static_cast<int>(found - shared.begin());
  return placement;
}

std::size_t Nodes::open_members(const SlotRequest& request, int class_id) const {
  std::size_t count = classes_[static_cast<std::size_t>(class_id)].members.size();
  for (const AgentId& blocked : request.blocked) {
    const auto node = index_.find(blocked);
    if (node == index_.end()) continue;
    count -= nodes_[static_cast<std::size_t>(node->second)].class_id == class_id ? 1 : 0;
  }
  return count;
}

// Any node that holds it, each as likely, and any slot of the node that does.
std::vector<Placement> Nodes::find_random(const SlotRequest& request, int shape) {
  Rng rng(config_.seed ^ hash_of(request.id));
  const auto draw = [&](std::size_t size) {
    return static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(size) - 1));
  };
  const auto open = [&](int class_id) {
    const bool fits = fit_of(shape, class_id).kind == Fit::Kind::fits;
    return fits ? open_members(request, class_id) : 0;
  };
  std::size_t total = 0;
  for (const int class_id : live_) total += open(class_id);
  if (total == 0) return {};
  std::size_t left = draw(total);
  auto home = live_.begin();
  for (; left >= open(*home); ++home) left -= open(*home);
  const Class& nodes = classes_[static_cast<std::size_t>(*home)];
  auto member = nodes.members.begin();
  for (; is_blocked(request, member->second) || left > 0; ++member) {
    left -= is_blocked(request, member->second) ? 0 : 1;
  }
  std::vector<int> shares(static_cast<std::size_t>(nodes.state.whole), -1);
  for (const int milli : nodes.state.shared) {
    if (milli >= request.slot_milli) shares.push_back(milli);
  }
  const Fit fit{.share = request.slots == 1 ? shares[draw(shares.size())] : -1};
  return {placement_on(request, member->second, fit)};
}

std::vector<Placement> Nodes::find_shared(const SlotRequest& request) {
  const int shape = shape_of(request);
  if (config_.fit == FitPolicy::random) return find_random(request, shape);
  const Best best = best_classes(request, shape);
  if (best.classes.empty()) return {};
  const int node = nearest(request, best.classes, 1).front();
  const int class_id = nodes_[static_cast<std::size_t>(node)].class_id;
  return {placement_on(request, node, fit_of(shape, class_id))};
}

std::vector<Placement> Nodes::find_dedicated(const SlotRequest& request) {
  // Wholly idle nodes by size, largest first, so that a gang spans as few nodes as possible.
  Shape on_each = shapes_[static_cast<std::size_t>(shape_of(request))];
  std::map<int, std::vector<int>, std::greater<>> by_size;
  for (const int class_id : live_) {
    const NodeState& state = classes_[static_cast<std::size_t>(class_id)].state;
    on_each.slots = state.slots;
    if (state.idle() && holds(state, on_each)) by_size[state.slots].push_back(class_id);
  }
  std::vector<Placement> placements;
  const auto place = [&](const std::vector<int>& nodes, int size) {
    for (const int node : nodes) {
      placements.push_back({.agent = nodes_[static_cast<std::size_t>(node)].id, .slots = size});
    }
  };
  for (const auto& [size, classes] : by_size) {
    if (request.slots % size != 0) continue;
    const auto count = static_cast<std::size_t>(request.slots / size);
    const std::vector<int> nodes = nearest(request, classes, count);
    if (nodes.size() < count) continue;
    place(nodes, size);
    return placements;
  }
  if (!config_.heterogeneous) return {};
  // Greedy from large to small and never back, as upstream does it.
  int missing = request.slots;
  for (const auto& [size, classes] : by_size) {
    const auto nodes = nearest(request, classes, static_cast<std::size_t>(missing / size));
    place(nodes, size);
    missing -= size * static_cast<int>(nodes.size());
  }
  if (missing > 0) return {};
  return placements;
}

std::vector<Placement> Nodes::find(const SlotRequest& request) {
  std::vector<Placement> shared = find_shared(request);
  if (!shared.empty() || request.slots <= 1 || request.single_node) return shared;
  return find_dedicated(request);
}

std::vector<Placement> Nodes::place(const SlotRequest& request) {
  std::vector<Placement> placements = find(request);
  take(request, placements);
  return placements;
}

// A node's own count of whole slots may sink below zero while the scheduler thinks: a slot whose
// parts have all been given back stays in `shared`, so that indices hold, and counts as whole in
// the class (enter_class).
void Nodes::change(int number, const Shape& shape, const Placement& placement, int sign) {
  Node& node = nodes_[static_cast<std::size_t>(number)];
  if (node.closed) return;
  leave_class(number);
  NodeState& state = node.state;
  state.cpu_milli -= sign * shape.cpu_milli;
  state.memory_mib -= sign * shape.memory_mib;
  if (placement.slots == 0) {
    state.zero_slot += sign;
    totals_.zero_slot_places -= sign;
  } else if (placement.slot_milli == whole_slot) {
    state.whole -= sign * placement.slots;
  } else {
    const auto index = static_cast<std::size_t>(placement.shared);
    if (index == state.shared.size()) {
      --state.whole;
      state.shared.push_back(whole_slot);
    }
    VERIFY(index < state.shared.size(), "shared slot ", index, " of ", state.shared.size());
    state.shared[index] -= sign * placement.slot_milli;
  }
  enter_class(number);
}

void Nodes::take(const SlotRequest& request, const std::vector<Placement>& placements) {
  if (placements.empty()) return;
  const Shape shape = shapes_[static_cast<std::size_t>(shape_of(request))];
  for (const Placement& placement : placements) {
    const auto node = index_.find(placement.agent);
    if (node != index_.end()) change(node->second, shape, placement, 1);
  }
}

void Nodes::give_back(const SlotRequest& request, const std::vector<Placement>& placements) {
  const Shape shape = shapes_[static_cast<std::size_t>(shape_of(request))];
  for (auto placement = placements.rbegin(); placement != placements.rend(); ++placement) {
    const auto node = index_.find(placement->agent);
    if (node != index_.end()) change(node->second, shape, *placement, -1);
  }
}

}  // namespace dt::core
