// The one gRPC client of dtctl, dt-gui and dt-agent: a channel with its token, deadlines, retries
// of what is safe to repeat, and errors as our Status with its detail. Changing calls carry a
// request id (new_request_id), so repeating them after `unavailable` has one effect. Any thread.
//
//   Client client(TRY(load_credentials()));
//   const auto got = TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::GetExperiment,
//   request));
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/status.h"
#include "client/credentials.h"
#include "client/status.h"

namespace dt::client {

// A random UUID of 122 bits.
std::string new_request_id();

struct CallOptions {
  std::chrono::milliseconds timeout{30'000};  // of all tries together
  bool retry_unavailable = true;
};

class Client {
 public:
  explicit Client(Credentials credentials);

  const Credentials& credentials() const { return credentials_; }
  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }

  template <class Service>
  std::unique_ptr<typename Service::Stub> stub() const {
    return Service::NewStub(channel_);
  }

  // Adds the token; for streams, which have no deadline unless the caller sets one.
  void prepare(grpc::ClientContext& context) const;

  template <class Service, class Request, class Response>
  Result<Response> call(grpc::Status (Service::Stub::*method)(grpc::ClientContext*, const Request&,
                                                              Response*),
                        const Request& request, const CallOptions& options = {}) const {
    const auto stub = this->stub<Service>();
    Response response;
    const Status status = repeat(options, [&](grpc::ClientContext& context) {
      response.Clear();
      return (stub.get()->*method)(&context, request, &response);
    });
    if (!status.ok()) return status;
    return response;
  }

 private:
  Status repeat(const CallOptions& options,
                const std::function<grpc::Status(grpc::ClientContext&)>& attempt) const;
  Status explain(const grpc::Status& status) const;

  Credentials credentials_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace dt::client
