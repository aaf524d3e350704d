// What the agent tells a shim about its allocation: DIR/spec.json, and where its rank socket lies.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "base/time.h"
#include "base/value.h"
#include "shim/process.h"

namespace dt::shim {

struct PrepareSpec {
  Command command;
  std::string marker;  // this file says that it was done; empty: it is done each time
  bool operator==(const PrepareSpec&) const = default;
};

struct Spec {
  AllocationId allocation;
  int node_rank = 0;
  std::vector<int> ranks;
  std::optional<PrepareSpec> prepare;
  bool bind_port = false;
  std::string address = "127.0.0.1";
  std::string token;
  std::optional<User> user;  // of ranks and prepare; none: ours
  std::string cwd;           // of prepare and ranks that name none
  std::string checkpoint_dir;
  std::string socket_dir;  // for rank.sock where the allocation's folder is too deep
  Duration kill_grace{10'000};
  std::vector<std::string> features;
  bool operator==(const Spec&) const = default;
};

Result<Spec> spec_from(const Value& value);

// {"argv": […], "env": {…}, "cwd": "…"}; `user` and a missing cwd come from the spec.
Result<Command> command_from(const Value& value, const Spec& spec);

struct SocketPlace {
  std::string path;
  std::string made_folder;  // to be removed at the end; empty: none was made
};

// A path under 108 bytes that the ranks' user can reach: in `folder`, else in the spec's
// socket_dir, else in a new folder below /tmp.
Result<SocketPlace> place_rank_socket(const std::string& folder, const Spec& spec);

}  // namespace dt::shim
