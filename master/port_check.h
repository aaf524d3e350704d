// Looks whether an address is free before anything is touched: a master that cannot listen must
// neither start a database nor take one over from the master that runs.
#pragma once

#include <string>

#include "base/status.h"

namespace dt::master {

// `what` ("gRPC") and `option` ("--grpc") are for the message. Ok for port 0, and for what is not
// ours to judge (a name that does not resolve): the one who listens says it better.
Status check_free(const std::string& what, const std::string& address, const std::string& option);

}  // namespace dt::master
