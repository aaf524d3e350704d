// The one gRPC client of dtctl, dt-gui and dt-agent: a channel with its token, deadlines, retries
// while the master is away, and errors as our Status with its detail. Changing calls carry a
// request id, filled in here if the caller gave none, so repeating them has one effect (P8). Calls
// block; any thread may call.
//
//   Client client(TRY(load_credentials()));
//   const auto got = TRY(client.call<v1::Trials>(&v1::Trials::Stub::GetTrial, request));
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>

#include "base/status.h"
#include "client/credentials.h"
#include "proto/status_wire.h"

namespace dt::client {

// A random UUID of 122 bits.
std::string new_request_id();

struct CallOptions {
  std::chrono::milliseconds timeout{30'000};  // of all tries together
  bool retry_unavailable = true;
  std::stop_token stop{};  // ends a call that waits
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
                        Request request, const CallOptions& options = {}) const {
    if constexpr (requires { request.set_request_id(std::string()); }) {
      if (request.request_id().empty()) request.set_request_id(new_request_id());
    }
    const auto stub = this->stub<Service>();
    Response response;
    const Status status = repeat(options, [&](grpc::ClientContext& context) {
      response.Clear();
      return (stub.get()->*method)(&context, request, &response);
    });
    if (!status.ok()) return status;
    return response;
  }

  // A server's stream, until it ends, `on_message` says false, or `stop`; the first two are ok.
  template <class Service, class Request, class Response>
  Status read(std::unique_ptr<grpc::ClientReader<Response>> (Service::Stub::*method)(
                  grpc::ClientContext*, const Request&),
              const Request& request,
              const std::function<bool(const std::type_identity_t<Response>&)>& on_message,
              const std::stop_token& stop = {}) const {
    grpc::ClientContext context;
    prepare(context);
    const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
    const auto stub = this->stub<Service>();
    const auto reader = (stub.get()->*method)(&context, request);
    Response message;
    bool wanted = true;
    while (wanted && reader->Read(&message)) wanted = on_message(message);
    if (!wanted) context.TryCancel();
    const Status status = explain(reader->Finish());
    return wanted ? status : Status();
  }

  // A client's stream: `next` fills in a message, or says false at the end.
  template <class Service, class Request, class Response>
  Result<Response> write(std::unique_ptr<grpc::ClientWriter<Request>> (Service::Stub::*method)(
                             grpc::ClientContext*, Response*),
                         const std::function<bool(std::type_identity_t<Request>&)>& next,
                         const std::stop_token& stop = {}) const {
    grpc::ClientContext context;
    prepare(context);
    const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
    const auto stub = this->stub<Service>();
    Response response;
    const auto writer = (stub.get()->*method)(&context, &response);
    for (Request message; next(message) && writer->Write(message);) message.Clear();
    writer->WritesDone();
    const Status status = explain(writer->Finish());
    if (!status.ok()) return status;
    return response;
  }

  // The error as people should read it: a master that is away is named.
  Status explain(const grpc::Status& status) const;

 private:
  Status repeat(const CallOptions& options,
                const std::function<grpc::Status(grpc::ClientContext&)>& attempt) const;

  Credentials credentials_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace dt::client
