// The Watch, Logs and Contexts services of a FakeMaster.
#include <algorithm>

#include "tests/unit/gui/fake_master_state.h"

namespace dt::gui {
namespace {

namespace v1 = ::dovetail::v1;
using Context = grpc::ServerContext;

class WatchService final : public v1::Watch::Service {
 public:
  explicit WatchService(FakeMaster::State& state) : state_(state) {}

  // A heartbeat at once, then what is told from now on.
  grpc::Status Watch(Context* context, const v1::WatchRequest*,
                     grpc::ServerWriter<v1::WatchEvent>* writer) override {
    std::size_t at = 0;
    const grpc::Status status = state_.serve(*context, "Watch", [&] {
      at = state_.events.size();
      return grpc::Status::OK;
    });
    if (!status.ok()) return status;
    v1::WatchEvent heartbeat;
    heartbeat.set_heartbeat(true);
    if (!writer->Write(heartbeat)) return grpc::Status::CANCELLED;
    std::unique_lock lock(state_.mutex);
    do {
      for (; at < state_.events.size(); ++at) {
        if (!writer->Write(state_.events[at])) return grpc::Status::CANCELLED;
      }
    } while (state_.wait(lock, *context));
    return {grpc::StatusCode::UNAVAILABLE, "the master is going"};
  }

 private:
  FakeMaster::State& state_;
};

class Logs final : public v1::Logs::Service {
 public:
  explicit Logs(FakeMaster::State& state) : state_(state) {}

  grpc::Status ReadLogs(Context* context, const v1::ReadLogsRequest* request,
                        grpc::ServerWriter<v1::LogBatch>* writer) override {
    const grpc::Status status = state_.serve(*context, "ReadLogs", [] { return grpc::Status::OK; });
    if (!status.ok()) return status;
    std::unique_lock lock(state_.mutex);
    const auto& lines = state_.rows.logs[request->trial_id()];
    const auto tail = static_cast<std::size_t>(request->tail());
    std::size_t at = tail > 0 && lines.size() > tail ? lines.size() - tail : 0;
    do {
      v1::LogBatch batch;
      for (; at < lines.size(); ++at) {
        if (wants(*request, lines[at])) *batch.add_lines() = lines[at];
      }
      if (batch.lines_size() > 0 && !writer->Write(batch)) return grpc::Status::CANCELLED;
    } while (request->follow() && state_.wait(lock, *context));
    return grpc::Status::OK;
  }

 private:
  static bool wants(const v1::ReadLogsRequest& request, const v1::LogLine& line) {
    const auto& ranks = request.ranks();
    return (ranks.empty() || std::find(ranks.begin(), ranks.end(), line.rank()) != ranks.end()) &&
           (request.attempt() == 0 || request.attempt() == line.attempt()) &&
           line.text().find(request.search()) != std::string::npos;
  }

  FakeMaster::State& state_;
};

class Contexts final : public v1::Contexts::Service {
 public:
  explicit Contexts(FakeMaster::State& state) : state_(state) {}

  grpc::Status HasContext(Context* context, const v1::HasContextRequest* request,
                          v1::HasContextResponse* response) override {
    return state_.serve(*context, "HasContext", [&] {
      response->set_present(state_.rows.contexts.contains(request->hash()));
      return grpc::Status::OK;
    });
  }

  grpc::Status UploadContext(Context* context, grpc::ServerReader<v1::UploadContextRequest>* reader,
                             v1::UploadContextResponse* response) override {
    std::int64_t bytes = 0;
    std::string hash;
    v1::UploadContextRequest piece;
    while (reader->Read(&piece)) {
      if (!piece.hash().empty()) hash = piece.hash();
      bytes += static_cast<std::int64_t>(piece.data().size());
    }
    return state_.serve(*context, "UploadContext", [&] {
      state_.rows.contexts.insert(hash);
      response->set_hash(hash);
      response->set_bytes(bytes);
      return grpc::Status::OK;
    });
  }

 private:
  FakeMaster::State& state_;
};

}  // namespace

std::vector<std::unique_ptr<grpc::Service>> make_fake_streams(FakeMaster::State& state) {
  std::vector<std::unique_ptr<grpc::Service>> services;
  services.push_back(std::make_unique<WatchService>(state));
  services.push_back(std::make_unique<Logs>(state));
  services.push_back(std::make_unique<Contexts>(state));
  return services;
}

}  // namespace dt::gui
