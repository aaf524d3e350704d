// One allocation on this node, as its folder holds it: what the master assigned (assignment.json),
// what its shim is told (spec.json and the start order), and where its files lie. Pure but for
// save and load.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "agent/checkpoints.h"
#include "agent/convert.h"
#include "agent/environment.h"
#include "base/status.h"
#include "base/value.h"

namespace dt::agent {

struct Allocation {
  std::string folder;
  AllocationFacts facts;
  CheckpointPlace checkpoints;
  std::string work_dir;  // where ranks start: the context's folder, or one of its own
};

// From the master's words. A configuration that this version does not understand is an error.
Result<Allocation> make_allocation(const AllocationId& id, const std::string& folder,
                                   const std::string& contexts, const std::optional<User>& user,
                                   const v1::AssignmentMessage& assignment);

Status save_assignment(const std::string& folder, const v1::AssignmentMessage& assignment);
Result<v1::AssignmentMessage> load_assignment(const std::string& folder);

// What the relay had acknowledged; written often, so not durable: an older one costs a resend.
void save_marks(const std::string& folder, const core::Marks& marks);
core::Marks load_marks(const std::string& folder);

// Parts that the master was told are stored, so that the next agent does not upload them again.
using PartId = std::pair<CheckpointId, int>;
void note_stored(const std::string& folder, const PartId& part);
std::set<PartId> load_stored(const std::string& folder);

// `marker`: the file that says that prepare was done.
Value shim_spec(const Allocation& allocation, const NodeFacts& node, const std::string& address,
                const std::string& socket_dir, const std::string& marker);
Value start_order(const Allocation& allocation, const NodeFacts& node,
                  const core::RankTable& table);

}  // namespace dt::agent
