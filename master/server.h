// The whole master in one object: data folder and its lock, database, loop, gRPC and HTTP. main.cpp
// gives it options and waits; tests open it with port 0. Opening it leaves in the data folder what
// the machine's own people need (all 0600): admin.token, agent.token, secret.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/time.h"
#include "core/sched/request.h"
#include "master/loop.h"

namespace dt::master {

struct ServerOptions {
  std::string data_dir;  // absolute
  std::string database;  // postgresql://…; empty: the private one
  std::string grpc_address = "127.0.0.1:8081";
  std::string http_address = "127.0.0.1:8080";
  Duration agent_lease{180'000};
  std::map<std::string, core::PoolConfig> pools{{"default", {}}};
  bool insecure = false;        // listen beyond loopback without TLS
  std::string tls_certificate;  // PEM files; both or none
  std::string tls_key;
  bool accept_loss = false;  // go on after a restore: raises the cluster's epoch
};

class Server {
 public:
  // `on_end`: the loop ended by itself (another master took over, or commits were lost).
  static Result<std::unique_ptr<Server>> open(const ServerOptions& options,
                                              std::function<void(LoopEnd)> on_end);
  ~Server();  // orderly: streams end, the loop stops; the private PostgreSQL goes on running

  const std::string& grpc_address() const;
  const std::string& http_address() const;

 private:
  class State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dt::master
