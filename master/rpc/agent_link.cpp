// The agents' service. A link is one stream: its hello and heartbeats become events of the loop, the
// loop's answers go out through an outbox with a thread of its own, so that a slow agent holds
// nobody up. Records and blobs go past the core, straight to the store.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "dovetail/v1/agent.grpc.pb.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

constexpr std::int64_t progress_every_bytes = 8 * 1024 * 1024;

using Stream = grpc::ServerReaderWriter<v1::MasterMessage, v1::AgentMessage>;

class StreamOutbox final : public AgentOutbox {
 public:
  StreamOutbox(const Services& services, Stream& stream)
      : services_(services), stream_(stream), thread_([this](const std::stop_token& stop) { run(stop); }) {}

  void send(const core::Answer& answer) override {
    v1::MasterMessage message;
    *message.mutable_answer() = to_wire(
        answer, [&](const AllocationId& id) { return services_.auth.rank_token(id); });
    push(std::move(message));
  }

  void refuse(const Status& reason) override {
    v1::MasterMessage message;
    message.mutable_refused()->set_reason(reason.text());
    push(std::move(message));
  }

  void name_marks() override {
    const std::lock_guard lock(mutex_);
    marks_wanted_ = true;
    changed_.notify_all();
  }

  // Before the stream goes: nothing is written afterwards, though the loop may still send.
  void close() {
    thread_.request_stop();
    thread_.join();
  }

  void holds(const std::vector<core::AllocationStatus>& allocations) {
    const std::lock_guard lock(mutex_);
    held_.clear();
    for (const core::AllocationStatus& status : allocations) held_.insert(status.allocation);
  }

 private:
  void push(v1::MasterMessage message) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(message));
    changed_.notify_all();
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return marks_wanted_ || !queue_.empty(); })) return;
      if (marks_wanted_) {
        marks_wanted_ = false;
        const std::set<AllocationId> held = held_;
        lock.unlock();
        write(marks_of(held));
        continue;
      }
      const v1::MasterMessage message = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      write(message);
    }
  }

  void write(const v1::MasterMessage& message) {
    stream_.Write(message);  // a broken stream is noticed by its reader
  }

  v1::MasterMessage marks_of(const std::set<AllocationId>& held) {
    v1::MasterMessage message;
    message.mutable_marks();
    for (const AllocationId& id : held) {
      const Result<core::Marks> marks = services_.store.marks(id);
      if (marks.ok()) *message.mutable_marks()->add_allocations() = to_wire(id, *marks);
    }
    return message;
  }

  const Services& services_;
  Stream& stream_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<v1::MasterMessage> queue_;  // guarded by mutex_, as are the next two
  std::set<AllocationId> held_;
  bool marks_wanted_ = false;
  std::jthread thread_;
};

class AgentLinkService final : public v1::AgentLink::Service {
 public:
  explicit AgentLinkService(const Services& services) : services_(services) {}

  grpc::Status Link(grpc::ServerContext* context, Stream* stream) override {
    return handle(*context, services_, Right::agent,
                  [&](const Caller&) { return link(*stream); });
  }

  grpc::Status PushRecords(grpc::ServerContext* context, const v1::PushRecordsRequest* request,
                           v1::PushRecordsResponse* response) override {
    return handle(*context, services_, Right::agent,
                  [&](const Caller&) { return push_records(*request, *response); });
  }

  grpc::Status HasBlobs(grpc::ServerContext* context, const v1::HasBlobsRequest* request,
                        v1::HasBlobsResponse* response) override {
    return handle(*context, services_, Right::agent, [&](const Caller&) -> Status {
      for (const std::string& sha256 : request->sha256()) {
        if (!services_.checkpoints.has(sha256)) response->add_missing(sha256);
      }
      return {};
    });
  }

  grpc::Status PutBlob(grpc::ServerContext* context, grpc::ServerReader<v1::PutBlobRequest>* reader,
                       v1::PutBlobResponse*) override {
    return handle(*context, services_, Right::agent,
                  [&](const Caller&) { return put_blob(*reader); });
  }

  grpc::Status GetBlob(grpc::ServerContext* context, const v1::GetBlobRequest* request,
                       grpc::ServerWriter<v1::Chunk>* writer) override {
    return handle(*context, services_, Right::agent, [&](const Caller&) {
      return services_.checkpoints.read(request->sha256(), [&](std::string piece) {
        v1::Chunk chunk;
        chunk.set_data(std::move(piece));
        return writer->Write(chunk);
      });
    });
  }

  grpc::Status PartStored(grpc::ServerContext* context, const v1::PartStoredRequest* request,
                          v1::PartStoredResponse*) override {
    return handle(*context, services_, Right::agent, [&](const Caller&) -> Status {
      const AllocationId allocation = TRY(parse_allocation_id(request->allocation_id()));
      const core::InboxRow row =
          TRY(services_.store.part_stored(allocation, {request->checkpoint_id()}, request->part(),
                                          request->failure()));
      services_.loop.post(core::InboxArrived{{row}});
      return {};
    });
  }

 private:
  Status link(Stream& stream) {
    v1::AgentMessage message;
    if (!stream.Read(&message) || !message.has_hello()) {
      return invalid_argument("a link begins with a hello");
    }
    const core::AgentHello hello = TRY(from_wire(message.hello()));
    const auto outbox = std::make_shared<StreamOutbox>(services_, stream);
    const std::int64_t link = services_.loop.add_link(outbox);
    outbox->holds(hello.allocations);
    outbox->name_marks();
    services_.loop.post(core::AgentJoined{.hello = hello, .link = link});
    const Status status = read_heartbeats(stream, *outbox, link);
    services_.loop.remove_link(link);
    outbox->close();
    services_.loop.post(core::AgentDisconnected{.agent = hello.agent, .link = link});
    return status;
  }

  Status read_heartbeats(Stream& stream, StreamOutbox& outbox, std::int64_t link) {
    v1::AgentMessage message;
    while (stream.Read(&message)) {
      if (!message.has_heartbeat()) return invalid_argument("after its hello a link has heartbeats");
      core::Heartbeat heartbeat = TRY(from_wire(message.heartbeat()));
      outbox.holds(heartbeat.allocations);
      services_.loop.post(core::AgentSpoke{.heartbeat = std::move(heartbeat), .link = link});
    }
    return {};
  }

  Status push_records(const v1::PushRecordsRequest& request, v1::PushRecordsResponse& response) {
    const AllocationId allocation = TRY(parse_allocation_id(request.allocation_id()));
    std::vector<core::Record> records;
    bool has_logs = false;
    for (const v1::RecordMessage& message : request.records()) {
      records.push_back(TRY(from_wire(message)));
      has_logs = has_logs || records.back().kind == core::RecordKind::log;
    }
    if (has_logs) TRY(services_.log_matcher.mark(allocation, records));
    Result<IngestResult> stored = services_.store.ingest(allocation, records);
    if (!stored.ok()) services_.log_matcher.forget(allocation);
    IngestResult result = TRY(std::move(stored));
    if (!result.inbox.empty()) services_.loop.post(core::InboxArrived{std::move(result.inbox)});
    if (has_logs) result.grown_series.push_back({});
    if (!result.grown_series.empty()) {
      services_.loop.series_grew(result.trial, result.experiment, result.grown_series);
    }
    *response.mutable_marks() = to_wire(allocation, result.marks).marks();
    return {};
  }

  Status put_blob(grpc::ServerReader<v1::PutBlobRequest>& reader) {
    v1::PutBlobRequest message;
    if (!reader.Read(&message)) return invalid_argument("blob: nothing was sent");
    const AllocationId allocation = TRY(parse_allocation_id(message.allocation_id()));
    TRY(services_.store.allocation(allocation));
    const auto writer = TRY(services_.checkpoints.write(message.sha256()));
    std::int64_t told = 0;
    do {
      TRY(writer->append(message.data()));
      if (writer->bytes() - told < progress_every_bytes) continue;
      told = writer->bytes();
      services_.loop.post(core::UploadProgressed{allocation});
    } while (reader.Read(&message));
    return writer->keep();
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_agent_link_service(const Services& services) {
  return std::make_unique<AgentLinkService>(services);
}

}  // namespace dt::master
