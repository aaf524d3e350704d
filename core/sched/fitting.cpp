#include "core/sched/fitting.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "core/sched/md5.h"

namespace dt::core {
namespace {

std::uint64_t le64(const Md5Digest& digest) {
  std::uint64_t value = 0;
  for (int byte = 7; byte >= 0; --byte) value = value << 8 | digest[static_cast<std::size_t>(byte)];
  return value;
}

struct Candidate {
  const AgentCapacity* agent = nullptr;
  double score = 0;
  std::uint64_t distance = 0;
};

class Ranking {  // of nodes, as one request sees them
 public:
  Ranking(const SlotRequest& request, FitPolicy policy)
      : slots_(request.slots), hash_(le64(md5(request.id))), policy_(policy) {}

  Candidate candidate(const AgentCapacity& agent) const {
    return {&agent, fit_score(policy_, slots_, agent), hash_ - le64(md5(agent.id.value))};
  }

 private:
  int slots_;
  std::uint64_t hash_;
  FitPolicy policy_;
};

bool is_better(const Candidate& a, const Candidate& b) {
  return std::tie(b.score, a.distance, a.agent->id) < std::tie(a.score, b.distance, b.agent->id);
}

bool holds_whole_gang(const SlotRequest& request, const AgentCapacity& agent) {
  if (request.blocked.contains(agent.id)) return false;
  if (request.slots == 0) return agent.zero_slot < agent.max_zero_slot;
  return agent.empty() >= request.slots;
}

std::vector<Placement> find_shared_fit(const SlotRequest& request,
                                       const std::vector<AgentCapacity>& agents,
                                       const PoolConfig& config) {
  const Ranking ranking(request, config.fit);
  Candidate best;
  for (const AgentCapacity& agent : agents) {
    if (!holds_whole_gang(request, agent)) continue;
    const Candidate candidate = ranking.candidate(agent);
    if (best.agent == nullptr || is_better(candidate, best)) best = candidate;
  }
  if (best.agent == nullptr) return {};
  return {{best.agent->id, request.slots}};
}

// Wholly idle nodes by size, largest first, so that a gang spans as few nodes as possible.
using NodesBySize = std::map<int, std::vector<const AgentCapacity*>, std::greater<>>;

NodesBySize idle_nodes(const SlotRequest& request, const std::vector<AgentCapacity>& agents) {
  NodesBySize nodes;
  for (const AgentCapacity& agent : agents) {
    const bool usable = agent.idle() && agent.slots > 0 && !request.blocked.contains(agent.id);
    if (usable) nodes[agent.slots].push_back(&agent);
  }
  return nodes;
}

std::vector<Placement> best_of(const SlotRequest& request,
                               const std::vector<const AgentCapacity*>& agents, std::size_t count,
                               FitPolicy policy) {
  const Ranking ranking(request, policy);
  std::vector<Candidate> candidates;
  for (const AgentCapacity* agent : agents) {
    candidates.push_back(ranking.candidate(*agent));
  }
  std::sort(candidates.begin(), candidates.end(), is_better);
  candidates.resize(std::min(count, candidates.size()));
  std::vector<Placement> placements;
  for (const Candidate& candidate : candidates) {
    placements.push_back({candidate.agent->id, candidate.agent->slots});
  }
  return placements;
}

// Greedy from large to small and never back, as upstream does it.
std::vector<Placement> find_heterogeneous_fit(const SlotRequest& request, const NodesBySize& nodes,
                                              FitPolicy policy) {
  std::vector<Placement> placements;
  int missing = request.slots;
  for (const auto& [size, agents] : nodes) {
    const auto taken = best_of(request, agents, static_cast<std::size_t>(missing / size), policy);
    placements.insert(placements.end(), taken.begin(), taken.end());
    missing -= size * static_cast<int>(taken.size());
  }
  if (missing > 0) return {};
  return placements;
}

}  // namespace

std::uint64_t hash_distance(std::string_view task, std::string_view agent) {
  return le64(md5(task)) - le64(md5(agent));
}

double fit_score(FitPolicy policy, int task_slots, const AgentCapacity& agent) {
  const bool by_zero_slot_tasks = task_slots == 0 && agent.idle();
  const int total = by_zero_slot_tasks ? agent.max_zero_slot : agent.slots;
  const int empty = by_zero_slot_tasks ? total - agent.zero_slot : agent.empty();
  if (by_zero_slot_tasks && total == 0) return 0;
  if (policy == FitPolicy::best) return 1.0 / (1.0 + empty);
  return total == 0 ? 0 : static_cast<double>(empty) / total;
}

std::vector<Placement> find_dedicated_fit(const SlotRequest& request,
                                          const std::vector<AgentCapacity>& agents,
                                          const PoolConfig& config) {
  const NodesBySize nodes = idle_nodes(request, agents);
  for (const auto& [size, group] : nodes) {
    if (request.slots % size != 0) continue;
    const auto count = static_cast<std::size_t>(request.slots / size);
    if (group.size() >= count) return best_of(request, group, count, config.fit);
  }
  if (!config.heterogeneous) return {};
  return find_heterogeneous_fit(request, nodes, config.fit);
}

std::vector<Placement> find_fit(const SlotRequest& request,
                                const std::vector<AgentCapacity>& agents,
                                const PoolConfig& config) {
  std::vector<Placement> shared = find_shared_fit(request, agents, config);
  if (!shared.empty() || request.slots <= 1 || request.single_node) return shared;
  return find_dedicated_fit(request, agents, config);
}

bool fits_when_idle(const SlotRequest& request, const std::vector<AgentCapacity>& agents,
                    const PoolConfig& config) {
  std::vector<AgentCapacity> idle = agents;
  for (AgentCapacity& agent : idle) {
    agent.used = 0;
    agent.zero_slot = 0;
  }
  return !find_fit(request, idle, config).empty();
}

}  // namespace dt::core
