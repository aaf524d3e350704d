// All calls of the API, from the service definitions, so that no test forgets a new one; and one of
// them called with an empty request.
#pragma once

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <chrono>
#include <string>
#include <vector>

#include "client/client.h"
#include "dovetail/v1/admin.grpc.pb.h"
#include "dovetail/v1/agent.grpc.pb.h"
#include "dovetail/v1/context.grpc.pb.h"
#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/job.grpc.pb.h"
#include "dovetail/v1/logs.grpc.pb.h"
#include "dovetail/v1/metrics.grpc.pb.h"
#include "dovetail/v1/search.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"
#include "dovetail/v1/watch.grpc.pb.h"

namespace dt::master {

namespace v1 = ::dovetail::v1;
using google::protobuf::MethodDescriptor;

inline std::vector<const MethodDescriptor*> all_methods() {
  // Naming one message of each file links its descriptors in.
  const google::protobuf::FileDescriptor* files[] = {
      v1::LoginRequest::descriptor()->file(),      v1::HelloMessage::descriptor()->file(),
      v1::HasContextRequest::descriptor()->file(), v1::GetExperimentRequest::descriptor()->file(),
      v1::ListJobsRequest::descriptor()->file(),   v1::ReadLogsRequest::descriptor()->file(),
      v1::ListSeriesRequest::descriptor()->file(), v1::GetTrialRequest::descriptor()->file(),
      v1::ProposeRequest::descriptor()->file(),    v1::WatchRequest::descriptor()->file()};
  std::vector<const MethodDescriptor*> methods;
  for (const auto* file : files) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        methods.push_back(file->service(s)->method(m));
      }
    }
  }
  return methods;
}

// One empty request; how the call ends.
inline grpc::Status call_empty(const client::Client& client, const MethodDescriptor* method) {
  const std::string path = cat("/", method->service()->full_name(), "/", method->name());
  grpc::GenericStub stub(client.channel());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  client.prepare(context);
  grpc::CompletionQueue queue;
  const auto wait = [&] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto stream = stub.PrepareCall(&context, path, &queue);
  stream->StartCall(nullptr);
  wait();
  const grpc::Slice empty("", 0);
  stream->WriteLast(grpc::ByteBuffer(&empty, 1), grpc::WriteOptions(), nullptr);
  wait();
  grpc::ByteBuffer answer;
  stream->Read(&answer, nullptr);
  if (wait()) {
    if (method->server_streaming()) context.TryCancel();  // what it says first is enough
    stream->Read(&answer, nullptr);
    wait();
  }
  grpc::Status status;
  stream->Finish(&status, nullptr);
  wait();
  return status;
}

}  // namespace dt::master
