#include "agent/environment.h"
#include "agent/family/family.h"

namespace dt::agent {

// torchrun's set, so that init_process_group() without arguments works. MASTER_ADDR and MASTER_PORT
// are everyone's.
void add_torch(const FamilyFacts& facts, Environment& environment) {
  const auto set = [&](const char* name, std::string value) {
    environment.set(name, std::move(value), "family torch, as torchrun sets it");
  };
  set("RANK", cat(facts.rank));
  set("LOCAL_RANK", cat(facts.local_rank));
  set("WORLD_SIZE", cat(facts.size));
  set("LOCAL_WORLD_SIZE", cat(facts.local_size));
  set("GROUP_RANK", cat(facts.node_rank));
  set("GROUP_WORLD_SIZE", cat(facts.nodes));
  set("NODE_RANK", cat(facts.node_rank));
  set("ROLE_RANK", cat(facts.rank));
  set("ROLE_WORLD_SIZE", cat(facts.size));
  set("ROLE_NAME", "default");
  set("TORCHELASTIC_RUN_ID", cat(facts.allocation));
  set("TORCHELASTIC_RESTART_COUNT", cat(facts.restarts));
  set("TORCHELASTIC_MAX_RESTARTS", cat(facts.restarts_max));
  // There is no agent's store to connect to: rank 0 makes its own at MASTER_PORT.
  set("TORCHELASTIC_USE_AGENT_STORE", "False");
  set("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
}

}  // namespace dt::agent
