// Status <-> grpc::Status: the code, the message, and the ErrorDetail bytes in gRPC's error
// details, so a refusal keeps its subject, value, hint and place on its way through a call.
#pragma once

#include <grpcpp/support/status.h>

#include "base/status.h"

namespace dt::client {

grpc::Status to_grpc(const Status& status);
Status from_grpc(const grpc::Status& status);

}  // namespace dt::client
