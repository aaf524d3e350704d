// The API as JSON: POST /api/v1/Service/Method, by protobuf's JSON mapping. A request is passed on
// to the gRPC server of this process, found by the descriptors of the generated code, so every call
// is there with the same handlers, rights and errors, and none is written twice. A server's stream
// comes as one message a line, a client's stream is given so. Also GET /healthz. Any thread.
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "master/http/server.h"
#include "master/loop.h"

namespace dt::master {

class JsonApi final : public HttpHandler {
 public:
  // `channel`: to the gRPC server of this process; `grpc_address`: for whom HTTP cannot serve.
  JsonApi(const Loop& loop, std::shared_ptr<grpc::Channel> channel, std::string grpc_address)
      : loop_(loop), channel_(std::move(channel)), grpc_address_(std::move(grpc_address)) {}

  std::size_t body_max(const HttpRequest& head) const override;
  std::optional<HttpAnswer> answer_at_once(const HttpRequest& request) const override;
  void handle(const HttpRequest& request, HttpReply& reply) const override;

 private:
  const Loop& loop_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::string grpc_address_;
};

}  // namespace dt::master
