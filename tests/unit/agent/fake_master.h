// A master for the agent's tests, behind a real socket: it answers heartbeats with the set that the
// test wants, stores records and blobs in memory, and lets the test wait for what the agent says.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/cat.h"
#include "dovetail/v1/agent.grpc.pb.h"
#include "dovetail/v1/context.grpc.pb.h"
#include "formats/sha256.h"

namespace dt::agent {

namespace v1 = ::dovetail::v1;

class FakeMaster final : public v1::AgentLink::Service {
 public:
  FakeMaster() : contexts_(*this) { start(); }
  ~FakeMaster() override { stop(); }

  // After a stop, at the same port and with all it had stored.
  void start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address(), grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    builder.RegisterService(&contexts_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  void stop() {
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_.reset();
  }

  std::string address() const { return cat("127.0.0.1:", port_); }

  // The whole wanted set, told at once and with every answer from now on.
  void want(std::vector<v1::WantedMessage> wanted) {
    const std::lock_guard lock(mutex_);
    wanted_ = std::move(wanted);
    push_answer(0);
  }
  void refuse_tokens() {
    const std::lock_guard lock(mutex_);
    refuses_tokens_ = true;
  }
  void set_lease(std::int64_t lease_ms) {
    const std::lock_guard lock(mutex_);
    lease_ms_ = lease_ms;
  }

  std::string add_context(const std::string& archive) {
    const std::lock_guard lock(mutex_);
    const std::string hash = sha256_hex(archive);
    archives_[hash] = archive;
    return hash;
  }
  void add_blob(const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    blobs_[sha256_hex(bytes)] = bytes;
  }
  std::string blob(const std::string& sha256) {
    const std::lock_guard lock(mutex_);
    return blobs_[sha256];
  }

  // Waits until the agent's last word makes it true; the test fails after 30 s.
  using Statuses = std::map<std::string, v1::AllocationStatusMessage>;
  bool wait_for(const std::function<bool(const Statuses&)>& is_so) {
    return wait([&] { return is_so(statuses_); });
  }
  bool wait_for_phase(const std::string& allocation, const std::string& phase) {
    const bool came = wait_for([&](const Statuses& statuses) {
      const auto found = statuses.find(allocation);
      return found != statuses.end() && found->second.phase() == phase;
    });
    EXPECT_TRUE(came) << allocation << " did not become " << phase << "; it says "
                      << status(allocation).ShortDebugString();
    return came;
  }
  v1::AllocationStatusMessage status(const std::string& allocation) {
    const std::lock_guard lock(mutex_);
    return statuses_[allocation];
  }
  v1::HelloMessage hello() {
    const std::lock_guard lock(mutex_);
    return hello_;
  }
  bool wait_for_hellos(int count) {
    return wait([&] { return hellos_ >= count; });
  }
  bool wait_for_leaving() {
    return wait([&] { return left_; });
  }

  // What was printed, line by line, as "stream: text"; waits until `text` is among it.
  bool wait_for_log(const std::string& text) {
    const bool came = wait([&] { return log().find(text) != std::string::npos; });
    EXPECT_TRUE(came) << "\"" << text << "\" was not logged, but:\n" << log();
    return came;
  }
  bool wait_for_record(const std::string& kind) {
    return wait([&] { return !records_of(kind).empty(); });
  }
  std::vector<v1::RecordMessage> records(const std::string& kind) {
    const std::lock_guard lock(mutex_);
    return records_of(kind);
  }
  // As after a new connection to a database that was restored: the marks are named again.
  void lose_records() {
    const std::lock_guard lock(mutex_);
    records_.clear();
    marks_.clear();
    v1::MasterMessage message;
    message.mutable_marks()->add_allocations()->set_allocation_id("1.7");
    stream_->Write(message);
  }
  bool wait_for_parts(std::size_t count) {
    return wait([&] { return parts_.size() >= count; });
  }
  std::vector<v1::PartStoredRequest> parts() {
    const std::lock_guard lock(mutex_);
    return parts_;
  }

 private:
  using Stream = grpc::ServerReaderWriter<v1::MasterMessage, v1::AgentMessage>;

  class Contexts final : public v1::Contexts::Service {
   public:
    explicit Contexts(FakeMaster& master) : master_(master) {}
    grpc::Status FetchContext(grpc::ServerContext*, const v1::FetchContextRequest* request,
                              grpc::ServerWriter<v1::Chunk>* writer) override {
      const std::lock_guard lock(master_.mutex_);
      const auto found = master_.archives_.find(request->hash());
      if (found == master_.archives_.end()) return missing("context " + request->hash());
      v1::Chunk chunk;
      chunk.set_data(found->second);
      writer->Write(chunk);
      return grpc::Status::OK;
    }

   private:
    FakeMaster& master_;
  };

  static grpc::Status missing(const std::string& what) {
    return {grpc::StatusCode::NOT_FOUND, what + " is not there"};
  }

  grpc::Status Link(grpc::ServerContext*, Stream* stream) override {
    v1::AgentMessage message;
    stream->Read(&message);
    {
      const std::lock_guard lock(mutex_);
      if (refuses_tokens_) return {grpc::StatusCode::UNAUTHENTICATED, "the token is not known"};
      stream_ = stream;
      hello_ = message.hello();
      ++hellos_;
      take(hello_.allocations());
      push_answer(0);
    }
    while (stream->Read(&message)) {
      const std::lock_guard lock(mutex_);
      left_ = left_ || message.heartbeat().leaving();
      take(message.heartbeat().allocations());
      push_answer(message.heartbeat().number());
    }
    const std::lock_guard lock(mutex_);
    if (stream_ == stream) stream_ = nullptr;
    return grpc::Status::OK;
  }

  grpc::Status PushRecords(grpc::ServerContext*, const v1::PushRecordsRequest* request,
                           v1::PushRecordsResponse* response) override {
    const std::lock_guard lock(mutex_);
    std::map<int, std::int64_t>& marks = marks_[request->allocation_id()];
    for (const v1::RecordMessage& record : request->records()) {
      std::int64_t& mark = marks[record.stream()];
      if (record.seq() != mark + 1) continue;  // a repeat, or behind a gap
      mark = record.seq();
      records_.push_back(record);
    }
    for (const auto& [stream, seq] : marks) {
      auto* mark = response->add_marks();
      mark->set_stream(stream);
      mark->set_seq(seq);
    }
    changed_.notify_all();
    return grpc::Status::OK;
  }

  grpc::Status HasBlobs(grpc::ServerContext*, const v1::HasBlobsRequest* request,
                        v1::HasBlobsResponse* response) override {
    const std::lock_guard lock(mutex_);
    for (const std::string& sha256 : request->sha256()) {
      if (!blobs_.contains(sha256)) response->add_missing(sha256);
    }
    return grpc::Status::OK;
  }

  grpc::Status PutBlob(grpc::ServerContext*, grpc::ServerReader<v1::PutBlobRequest>* reader,
                       v1::PutBlobResponse*) override {
    v1::PutBlobRequest first;
    reader->Read(&first);
    std::string bytes = first.data();
    for (v1::PutBlobRequest next; reader->Read(&next);) bytes += next.data();
    if (sha256_hex(bytes) != first.sha256()) {
      return {grpc::StatusCode::DATA_LOSS, "the blob has another hash"};
    }
    const std::lock_guard lock(mutex_);
    blobs_[first.sha256()] = bytes;
    return grpc::Status::OK;
  }

  grpc::Status GetBlob(grpc::ServerContext*, const v1::GetBlobRequest* request,
                       grpc::ServerWriter<v1::Chunk>* writer) override {
    const std::lock_guard lock(mutex_);
    if (!blobs_.contains(request->sha256())) return missing("blob " + request->sha256());
    v1::Chunk chunk;
    chunk.set_data(blobs_[request->sha256()]);
    writer->Write(chunk);
    return grpc::Status::OK;
  }

  grpc::Status PartStored(grpc::ServerContext*, const v1::PartStoredRequest* request,
                          v1::PartStoredResponse*) override {
    const std::lock_guard lock(mutex_);
    parts_.push_back(*request);
    changed_.notify_all();
    return grpc::Status::OK;
  }

  bool wait(const std::function<bool()>& is_so) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), is_so);
  }
  void take(const google::protobuf::RepeatedPtrField<v1::AllocationStatusMessage>& statuses) {
    for (const v1::AllocationStatusMessage& status : statuses) {
      statuses_[status.allocation_id()] = status;
    }
    changed_.notify_all();
  }
  void push_answer(std::int64_t heartbeat) {
    if (stream_ == nullptr) return;
    v1::MasterMessage message;
    auto* answer = message.mutable_answer();
    answer->set_heartbeat(heartbeat);
    answer->set_cluster_id("cluster");
    answer->set_cluster_epoch(1);
    answer->set_session(hellos_);
    answer->set_lease_ms(lease_ms_);
    for (const v1::WantedMessage& wanted : wanted_) *answer->add_wanted() = wanted;
    stream_->Write(message);
  }
  std::vector<v1::RecordMessage> records_of(const std::string& kind) {
    std::vector<v1::RecordMessage> found;
    for (const v1::RecordMessage& record : records_) {
      if (record.kind() == kind) found.push_back(record);
    }
    return found;
  }
  std::string log() {
    std::string text;
    for (const v1::RecordMessage& record : records_of("log")) {
      text += cat(record.stream(), ": ", record.body_json(), "\n");
    }
    return text;
  }

  Contexts contexts_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  // All guarded by mutex_.
  Stream* stream_ = nullptr;
  bool refuses_tokens_ = false;
  bool left_ = false;
  int hellos_ = 0;
  std::int64_t lease_ms_ = 0;
  v1::HelloMessage hello_;
  Statuses statuses_;
  std::vector<v1::WantedMessage> wanted_;
  std::map<std::string, std::map<int, std::int64_t>> marks_;  // by allocation
  std::vector<v1::RecordMessage> records_;
  std::vector<v1::PartStoredRequest> parts_;
  std::map<std::string, std::string> archives_;
  std::map<std::string, std::string> blobs_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace dt::agent
