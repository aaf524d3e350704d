#include "trial/rank/reporter.h"

#include <cstdio>

namespace dt::trial {
namespace {

constexpr std::chrono::milliseconds drain_limit{60'000};

Value message_of(const char* type) {
  Value message;
  message.set("type", type);
  return message;
}

}  // namespace

Result<Reporter> Reporter::open(const RankEnvironment& environment,
                                std::optional<std::int64_t> start_step, Value software) {
  if (environment.socket_path.empty()) return Reporter(environment.rank, nullptr);
  RankSocketOptions options;
  options.path = environment.socket_path;
  options.token = environment.token;
  options.rank = environment.rank;
  options.start_step = start_step;
  options.software = std::move(software);
  return Reporter(environment.rank, TRY(RankSocket::open(options)));
}

void Reporter::metrics(const std::string& group, std::int64_t step, double epoch,
                       const MetricValues& values) {
  if (rank_ == 0 && (!socket_ || group == "validation")) {  // validations belong in the log too
    std::string line = cat(group, " step=", step);
    for (const auto& [name, value] : values) line += cat(" ", name, "=", value);
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }
  if (!socket_) return;
  Value map = Value::Object{};
  for (const auto& [name, value] : values) map.set(name, value);
  Value message = message_of("metrics");
  message.set("group", group).set("step", step).set("epoch", epoch).set("values", std::move(map));
  send(std::move(message));
}

void Reporter::progress(double fraction) {
  if (!socket_) return;
  Value message = message_of("progress");
  message.set("fraction", fraction);
  send(std::move(message));
}

void Reporter::checkpoint(const std::string& id, std::int64_t step,
                          const std::vector<ReportedFile>& files, Value metadata) {
  if (!socket_) return;
  Value::Array list;
  for (const ReportedFile& file : files) {
    Value entry;
    entry.set("path", file.path).set("bytes", file.bytes).set("sha256", file.sha256);
    list.push_back(std::move(entry));
  }
  Value message = message_of("checkpoint");
  message.set("id", id).set("step", step).set("part", 0).set("parts", 1);
  message.set("files", std::move(list)).set("metadata", std::move(metadata));
  send(std::move(message));
}

void Reporter::finish(const std::string& failure) {
  if (!socket_) return;
  if (!failure.empty()) {
    Value message = message_of("exit");
    message.set("reason", failure);
    send(std::move(message));
  }
  const std::int64_t missing = socket_->drain(drain_limit);
  if (missing > 0) {
    std::fprintf(stderr,
                 "dovetail: rank %d ends with %lld messages that the shim did not acknowledge\n",
                 rank_, static_cast<long long>(missing));
  }
  socket_.reset();
}

void Reporter::send(Value message) {
  const Status sent = socket_->send(std::move(message));
  if (!sent.ok()) std::fprintf(stderr, "dovetail: not reported: %s\n", sent.text().c_str());
}

}  // namespace dt::trial
