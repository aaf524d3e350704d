#include "core/sched/fitting.h"

#include "core/sched/md5.h"
#include "core/sched/nodes.h"

namespace dt::core {

std::uint64_t hash_of(std::string_view id) {
  const Md5Digest digest = md5(id);
  std::uint64_t value = 0;
  for (int byte = 7; byte >= 0; --byte) value = value << 8 | digest[static_cast<std::size_t>(byte)];
  return value;
}

std::uint64_t hash_distance(std::string_view task, std::string_view agent) {
  return hash_of(task) - hash_of(agent);
}

double fit_score(FitPolicy policy, int task_slots, const AgentCapacity& agent) {
  const bool by_zero_slot_tasks = task_slots == 0 && agent.idle();
  const int total = by_zero_slot_tasks ? agent.max_zero_slot : agent.slots;
  const int empty = by_zero_slot_tasks ? total - agent.zero_slot : agent.empty();
  if (by_zero_slot_tasks && total == 0) return 0;
  if (policy == FitPolicy::best) return 1.0 / (1.0 + empty);
  return total == 0 ? 0 : static_cast<double>(empty) / total;
}

std::vector<Placement> find_fit(const SlotRequest& request,
                                const std::vector<AgentCapacity>& agents,
                                const PoolConfig& config) {
  return Nodes(agents, config, {request}).find(request);
}

std::vector<Placement> find_dedicated_fit(const SlotRequest& request,
                                          const std::vector<AgentCapacity>& agents,
                                          const PoolConfig& config) {
  return Nodes(agents, config, {request}).find_dedicated(request);
}

std::vector<AgentCapacity> all_idle(std::vector<AgentCapacity> agents) {
  for (AgentCapacity& agent : agents) {
    agent.used = 0;
    agent.zero_slot = 0;
    agent.shared.clear();
  }
  return agents;
}

bool fits_when_idle(const SlotRequest& request, const std::vector<AgentCapacity>& agents,
                    const PoolConfig& config) {
  return !find_fit(request, all_idle(agents), config).empty();
}

const char* to_text(AgentState state) {
  switch (state) {
    case AgentState::enabled: return "enabled";
    case AgentState::draining: return "draining";
    case AgentState::disabled: return "disabled";
  }
  return "";
}

int offered_slots(const AgentCapacity& agent) {
  if (agent.state == AgentState::disabled) return 0;
  return agent.state == AgentState::draining ? agent.used : agent.slots;
}

}  // namespace dt::core
