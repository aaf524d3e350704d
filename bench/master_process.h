// A dt-master of its own for a bench: its process in a temporary folder with a private PostgreSQL,
// ended and removed with the object. One thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "client/client.h"

namespace dt::bench {

class MasterProcess {
 public:
  MasterProcess();
  ~MasterProcess();
  MasterProcess(const MasterProcess&) = delete;
  MasterProcess& operator=(const MasterProcess&) = delete;

  client::Client person() const { return client_with("admin.token"); }
  client::Client agent() const { return client_with("agent.token"); }
  std::string service_file() const { return folder_ + "/postgres/service.conf"; }
  double cpu_s() const;  // that the master's process has used so far

 private:
  client::Client client_with(const char* token_file) const;

  std::string folder_;
  std::string address_;
  pid_t pid_ = 0;
};

// Of a shell command, which must succeed.
std::string output_of(const std::string& command);

}  // namespace dt::bench
