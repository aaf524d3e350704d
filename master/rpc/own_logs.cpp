#include "master/rpc/own_logs.h"

#include "master/own_log.h"

namespace dt::master {
namespace {

constexpr std::int64_t batch_lines = 1000;
constexpr Duration look_at_caller_every{500};  // a follower that went is noticed then

v1::MasterLogBatch to_wire(const std::vector<NumberedLogLine>& lines) {
  v1::MasterLogBatch batch;
  for (const auto& [id, line] : lines) {
    v1::MasterLogLine* out = batch.add_lines();
    out->set_id(id);
    out->set_time_ms(line.time_ms);
    out->set_level(line.level);
    out->set_text(line.text);
  }
  return batch;
}

}  // namespace

Status read_own_log(const grpc::ServerContext& context, const v1::ReadMasterLogsRequest& request,
                    grpc::ServerWriter<v1::MasterLogBatch>& writer) {
  const OwnLog& log = OwnLog::instance();
  const std::vector<NumberedLogLine> tail =
      request.tail() > 0 ? log.read(-1, request.tail()) : log.read(0, 1);
  std::int64_t next = tail.empty() ? 0 : tail.front().first;
  while (!context.IsCancelled()) {
    const std::vector<NumberedLogLine> lines = log.read(next, batch_lines);
    if (!lines.empty()) {
      next = lines.back().first + 1;
      if (!writer.Write(to_wire(lines))) return {};
    } else if (request.follow()) {
      log.wait_for(next, look_at_caller_every);
    } else {
      return {};
    }
  }
  return {};
}

}  // namespace dt::master
