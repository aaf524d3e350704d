// Reads the master's own log for administrators. Any thread; a follower keeps its thread.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/sync_stream.h>

#include "dovetail/v1/admin.pb.h"
#include "master/rpc/services.h"

namespace dt::master {

Status read_own_log(const grpc::ServerContext& context, const v1::ReadMasterLogsRequest& request,
                    grpc::ServerWriter<v1::MasterLogBatch>& writer);

}  // namespace dt::master
