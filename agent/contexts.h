// The node's cache of contexts: one unpacked copy a hash, owned by the ranks' user and shared by
// all allocations of that hash, because `prepare` builds in it once. Safe from any thread; two that
// want the same hash fetch it once.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "agent/user.h"
#include "base/id.h"
#include "base/status.h"
#include "base/time.h"
#include "client/client.h"

namespace dt::agent {

class Contexts {
 public:
  Contexts(std::string folder, std::optional<User> user)
      : folder_(std::move(folder)), user_(std::move(user)) {}

  // The folder of the context, fetched and verified if it was not here yet.
  Result<std::string> fetch(const client::Client& client, const ContextHash& hash,
                            const std::stop_token& stop);
  // Removes what was not asked for in `age` and is not in `held`. Before the first fetch.
  void remove_unused(const std::set<ContextHash>& held, Duration age);
  // The file that says that this command was run in the context.
  std::string marker(const ContextHash& hash, const std::string& command) const;

 private:
  Status download(const client::Client& client, const ContextHash& hash, const std::string& path,
                  const std::stop_token& stop) const;
  Status unpack(const std::string& archive, const std::string& folder) const;

  const std::string folder_;
  const std::optional<User> user_;
  std::mutex mutex_;
  std::map<ContextHash, std::mutex> fetching_;  // the map is guarded by mutex_
};

}  // namespace dt::agent
