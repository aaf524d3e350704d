// The agent's data folder: who the agent is and which master it belongs to. One agent at a time
// holds it. Layout: agent-id, cluster.json, allocations/<id>/, contexts/<hash>/, home/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/user.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/status.h"
#include "core/agent/relay.h"

namespace dt::agent {

class DataFolder {
 public:
  // Makes it if needed and locks it; it is free again when the process ends.
  static Result<DataFolder> open(const std::string& path, const std::optional<User>& user);

  const std::string& path() const { return path_; }
  std::string allocations() const { return path_ + "/allocations"; }
  std::string allocation(const AllocationId& id) const;
  std::string contexts() const { return path_ + "/contexts"; }
  std::string home() const { return path_ + "/home"; }  // of the ranks' user
  // Every allocation that has a folder.
  std::vector<AllocationId> held() const;

  // Who the agent is, and the cluster as it was last remembered.
  Result<core::relay::Options> load() const;
  Status remember(const core::relay::Remember& cluster) const;

 private:
  DataFolder(std::string path, Fd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  Fd lock_;
};

}  // namespace dt::agent
