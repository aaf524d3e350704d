#include "master/http/conversation.h"

#include <grpcpp/support/byte_buffer.h>

#include <vector>

#include "dovetail/v1/common.pb.h"

namespace dt::master {
namespace {

Status status_of_call(const grpc::Status& status) {
  if (status.ok()) return {};
  const Status plain(static_cast<Code>(status.error_code()), status.error_message());
  ::dovetail::v1::ErrorDetail detail;
  if (!detail.ParseFromString(status.error_details())) return plain;
  return Status(plain).with_detail({.subject = detail.subject(),
                                    .value = detail.value(),
                                    .hint = detail.hint(),
                                    .path = detail.path(),
                                    .line = detail.line()});
}

}  // namespace

Conversation::Conversation(const std::shared_ptr<grpc::Channel>& channel, const std::string& path,
                           const std::string& authorization,
                           std::optional<std::chrono::seconds> limit)
    : stub_(channel) {
  if (limit) context_.set_deadline(std::chrono::system_clock::now() + *limit);
  if (!authorization.empty()) context_.AddMetadata("authorization", authorization);
  stream_ = stub_.PrepareCall(&context_, path, &queue_);
  stream_->StartCall(this);
  wait();
}

Conversation::~Conversation() {
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

// One operation is under way at a time, so whatever comes is its end.
bool Conversation::wait() {
  void* tag = nullptr;
  bool ok = false;
  return queue_.Next(&tag, &ok) && ok;
}

bool Conversation::write(const std::string& message) {
  const grpc::Slice slice(message);
  stream_->Write(grpc::ByteBuffer(&slice, 1), this);
  return wait();
}

void Conversation::writes_done() {
  stream_->WritesDone(this);
  wait();
}

std::optional<std::string> Conversation::read() {
  grpc::ByteBuffer buffer;
  stream_->Read(&buffer, this);
  if (!wait()) return std::nullopt;
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return std::nullopt;
  std::string message;
  message.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    message.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return message;
}

Status Conversation::finish() {
  grpc::Status status;
  stream_->Finish(&status, this);
  wait();
  return status_of_call(status);
}

}  // namespace dt::master
