#include "cli/logs.h"

#include "cli/output.h"
#include "dovetail/v1/logs.grpc.pb.h"

namespace dt::cli {

namespace v1 = ::dovetail::v1;

Status read_logs(const client::Client& client, const v1::ReadLogsRequest& request,
                 const std::function<void(const v1::LogLine&)>& take) {
  return client.read<v1::Logs>(&v1::Logs::Stub::ReadLogs, request, [&](const v1::LogBatch& batch) {
    for (const v1::LogLine& line : batch.lines()) take(line);
    return true;
  });
}

std::string log_text(const v1::LogLine& line) {
  const std::string source =
      line.rank() >= 0 ? cat("rank ", line.rank()) : cat("node ", -1 - line.rank());
  return cat("[", source, "] ", safe_text(line.text()));
}

}  // namespace dt::cli
