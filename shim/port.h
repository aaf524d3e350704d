// Holds a TCP port for the process group of rank 0: bound with SO_REUSEADDR but never listening, so
// that rank 0 can bind and listen while nobody else is given it (DESIGN §4).
#pragma once

#include <string>

#include "base/fd.h"
#include "base/status.h"

namespace dt::shim {

struct HeldPort {
  Fd socket;
  int port = 0;
};

// At `address` (IPv4 or IPv6); a host name holds the port at every address of this machine.
Result<HeldPort> hold_port(const std::string& address);

}  // namespace dt::shim
