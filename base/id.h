// Strong identifiers: a TrialId cannot be passed where an ExperimentId is meant. The tags of all
// things of DESIGN §1 that have an id are here, so that every room names them alike.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace dt {

template <class Tag>
struct Id {
  std::int64_t value = 0;
  explicit operator bool() const { return value != 0; }  // 0 is “none”
  auto operator<=>(const Id&) const = default;
};

template <class Tag>
std::string to_text(const Id<Tag>& id) {
  return std::to_string(id.value);
}

template <class Tag>
struct Name {
  std::string value;
  explicit operator bool() const { return !value.empty(); }
  auto operator<=>(const Name&) const = default;
};

template <class Tag>
std::string to_text(const Name<Tag>& name) {
  return name.value;
}

using ExperimentId = Id<struct ExperimentTag>;
using TrialId = Id<struct TrialTag>;
using InboxId = Id<struct InboxTag>;
using AgentId = Name<struct AgentTag>;            // a uuid kept in the agent's data folder
using CheckpointId = Name<struct CheckpointTag>;  // a uuid made by rank 0
using ContextHash = Name<struct ContextTag>;      // SHA-256 of the archive, lower-case hex

// The fencing token: the slots granted to one attempt. `epoch` is the cluster's, raised by a
// restore, so an id of a lost history never equals one of the present.
struct AllocationId {
  std::int64_t epoch = 0;
  std::int64_t number = 0;
  explicit operator bool() const { return number != 0; }
  auto operator<=>(const AllocationId&) const = default;
};

inline std::string to_text(const AllocationId& id) {
  return std::to_string(id.epoch) + "." + std::to_string(id.number);
}

}  // namespace dt
