// The environment of ranks and of `prepare`: what the agent inherited and a rank may see, what
// every rank gets (DESIGN §6), what its family needs (agent/family/), and what the user set, which
// wins except over the protocol's own DT_ names. Each variable knows why it is there. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/value.h"
#include "core/agent/messages.h"
#include "core/model/config.h"

namespace dt::agent {

class Environment {
 public:
  struct Entry {
    std::string value;
    std::string reason;
    bool operator==(const Entry&) const = default;
  };

  void set(const std::string& name, std::string value, std::string reason) {
    entries_[name] = {std::move(value), std::move(reason)};
  }
  // Puts `value` before what is there, as search paths need it.
  void prepend(const std::string& name, const std::string& value, const std::string& reason);
  void remove(const std::string& name) { entries_.erase(name); }
  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  std::map<std::string, Entry> entries_;
};

// What is the same for all allocations of this agent.
struct NodeFacts {
  std::string master;  // HOST:PORT of its gRPC
  std::string cluster_id;
  AgentId agent;
  std::string prefix;      // of this installation
  std::string python_dir;  // of the Python client; may be empty
  std::string network_interface;
  int threads_per_slot = 1;
  std::set<std::string> gpus;  // ids of the slots that are GPUs
  std::map<std::string, std::string> inherited;  // the agent's own environment
  Value about;  // node_facts()
  // Of the ranks' user, if it is another than the agent's.
  std::string user;
  std::string home;
};

// One allocation on this node.
struct AllocationFacts {
  AllocationId allocation;
  core::Assignment assignment;
  core::ExperimentConfig config;
  std::string token;
  std::string checkpoint_dir;
  std::string latest_checkpoint;  // empty: none
};

Environment prepare_environment(const NodeFacts& node, const AllocationFacts& facts);
Environment rank_environment(const NodeFacts& node, const AllocationFacts& facts,
                             const core::RankTable& table, const core::RankPlace& place);

// The entries that all ranks have alike.
std::map<std::string, Environment::Entry> shared_entries(const std::map<int, Environment>& by_rank);

// {"variables": [{name, value, reason, rank?}]} of all ranks of the node: `rank` where they differ.
// Values that are secret by their name are left out.
Value environment_record(const std::map<int, Environment>& by_rank);

// Of environ.
std::map<std::string, std::string> inherited_environment();

}  // namespace dt::agent
