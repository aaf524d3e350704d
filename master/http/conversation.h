// One gRPC call of any shape by its name, as bytes: what the JSON form needs to pass every call on
// without knowing it. For one thread; cancel() may be called from any.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"

namespace dt::master {

class Conversation {
 public:
  // `path`: "/dovetail.v1.Trials/GetTrial"; without a limit the call may last.
  Conversation(const std::shared_ptr<grpc::Channel>& channel, const std::string& path,
               const std::string& authorization, std::optional<std::chrono::seconds> limit);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  bool write(const std::string& message);  // false: the call is over, finish() says why
  void writes_done();
  std::optional<std::string> read();
  Status finish();  // after read() gave nothing
  void cancel() { context_.TryCancel(); }

 private:
  bool wait();

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
};

}  // namespace dt::master
