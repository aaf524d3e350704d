// A whole cluster of this machine in one folder: master with its PostgreSQL, agents, logs, and
// local.json that says what runs. up() starts what is missing and touches nothing that runs, so it
// may be repeated; down() leaves no process. Both hold the folder's lock meanwhile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/daemon.h"
#include "client/credentials.h"

namespace dt::cli {

struct LocalOptions {
  std::string dir;
  int agents = 1;
  int slots = 0;            // of each agent; 0: the machine's cores shared out
  std::string lease = "0";  // "20s", "3m"; 0: agents train on without a master
  int grpc_port = 8081;     // 0: a free one
  int http_port = 8080;
  std::map<std::string, std::string> given = {};  // as they were typed: {"--slots", "4"}
};

struct LocalState {
  std::string grpc_address;
  std::string http_address;
  std::vector<Daemon> daemons;  // the master first
};

class LocalCluster {
 public:
  explicit LocalCluster(std::string dir) : dir_(std::move(dir)) {}

  Result<LocalState> up(const LocalOptions& options);
  Status down();
  // What local.json says; not_found when there is no cluster here.
  Result<LocalState> state() const;
  Result<client::Credentials> credentials(const LocalState& state) const;
  const std::string& dir() const { return dir_; }
  std::string master_dir() const { return dir_ + "/master"; }

 private:
  Status save(const LocalState& state) const;
  Status start_master(const LocalOptions& options, LocalState& state) const;
  Status start_agent(int number, const LocalOptions& options, const std::string& prefix,
                     LocalState& state) const;
  Status wait_for_agents(const LocalState& state, int wanted) const;
  Status end_leftovers() const;

  std::string dir_;
};

// Seconds of "20s", "3m", "1h", "45"; invalid_argument else.
Result<std::int64_t> parse_seconds(const std::string& text);

}  // namespace dt::cli
