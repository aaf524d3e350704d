// The first phase of a start: the folder, the context and the checkpoint are put in place, then the
// shim is launched, which runs `prepare` and binds the port. Blocks on the network; run by a
// worker.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/allocation.h"
#include "agent/contexts.h"
#include "base/fd.h"
#include "client/client.h"

namespace dt::agent {

struct Preparation {
  const client::Client& client;
  Contexts& contexts;
  NodeFacts node;
  std::string address;     // of this node
  std::string socket_dir;  // for rank sockets whose folder is too deep
  std::string shim;        // the program
  std::function<void(const Status&)> complain;  // of what it waits for, at each try
};

// The pidfd of the shim. While the master is away or the disk is full it waits, until `stop`. An
// invalid_argument is the user's to mend, everything else is the infrastructure's.
Result<Fd> prepare_allocation(const Preparation& preparation, const Allocation& allocation,
                              const v1::AssignmentMessage& assignment, const std::stop_token& stop);

}  // namespace dt::agent
