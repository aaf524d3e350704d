// Logs: the lines of a trial; with follow, on until it is over.
#include <re2/re2.h>

#include "dovetail/v1/logs.grpc.pb.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

constexpr int lines_a_batch = 1000;
constexpr Duration follow_wait{1'000};

// Which lines are wanted, by their text.
class LineFilter {
 public:
  static Result<LineFilter> create(const v1::ReadLogsRequest& request) {
    LineFilter filter;
    filter.search_ = request.search();
    if (request.regex().empty()) return filter;
    filter.regex_ = std::make_shared<re2::RE2>(request.regex(), re2::RE2::Quiet);
    if (filter.regex_->ok()) return filter;
    return invalid_argument("regex: \"", request.regex(), "\": ", filter.regex_->error())
        .with_hint("RE2 syntax");
  }

  bool accepts(const std::string& text) const {
    if (!search_.empty() && text.find(search_) == std::string::npos) return false;
    return !regex_ || re2::RE2::PartialMatch(text, *regex_);
  }

 private:
  std::string search_;
  std::shared_ptr<re2::RE2> regex_;  // shared: RE2 cannot be moved
};

class LogsService final : public v1::Logs::Service {
 public:
  explicit LogsService(const Services& services) : services_(services) {}

  grpc::Status ReadLogs(grpc::ServerContext* context, const v1::ReadLogsRequest* request,
                        grpc::ServerWriter<v1::LogBatch>* writer) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return read(*context, *request, *writer); });
  }

 private:
  Status read(const grpc::ServerContext& context, const v1::ReadLogsRequest& request,
              grpc::ServerWriter<v1::LogBatch>& writer) {
    const LineFilter filter = TRY(LineFilter::create(request));
    LogQuery query{.trial = {request.trial_id()},
                   .attempt = request.attempt(),
                   .ranks = {request.ranks().begin(), request.ranks().end()},
                   .after = 0,
                   .tail = request.tail(),
                   .limit = lines_a_batch};
    while (!context.IsCancelled()) {
      const Loop::Seen seen = services_.loop.seen();
      const core::TrialRow trial = TRY(services_.store.trial(query.trial));
      const bool more = TRY(send_new(query, filter, writer));
      if (more) continue;
      if (!request.follow() || is_terminal(trial.state)) return {};
      services_.loop.wait_for_change(seen, follow_wait);
    }
    return cancelled("the reader left");
  }

  // Sends what is there after query.after; true when a full batch says that there may be more.
  Result<bool> send_new(LogQuery& query, const LineFilter& filter,
                        grpc::ServerWriter<v1::LogBatch>& writer) {
    const std::vector<StoredLogLine> lines = TRY(services_.store.logs(query));
    query.tail = 0;
    if (lines.empty()) return false;
    query.after = lines.back().position;
    v1::LogBatch batch;
    for (const StoredLogLine& stored : lines) {
      if (!filter.accepts(stored.line.text)) continue;
      v1::LogLine* line = batch.add_lines();
      line->set_time_ms(stored.line.time_ms);
      line->set_attempt(stored.attempt);
      line->set_rank(stored.line.stream);
      line->set_output(stored.line.output);
      line->set_text(stored.line.text);
    }
    if (batch.lines_size() > 0 && !writer.Write(batch)) return cancelled("the reader left");
    return static_cast<int>(lines.size()) >= query.limit;
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_logs_service(const Services& services) {
  return std::make_unique<LogsService>(services);
}

}  // namespace dt::master
