// Every call needs a token, and the right one: the test walks the service definitions, so a new
// call cannot be forgotten.
#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>

#include <map>
#include <set>

#include "dovetail/v1/admin.grpc.pb.h"
#include "dovetail/v1/agent.grpc.pb.h"
#include "dovetail/v1/context.grpc.pb.h"
#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/logs.grpc.pb.h"
#include "dovetail/v1/metrics.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"
#include "dovetail/v1/watch.grpc.pb.h"
#include "tests/unit/master/fixture.h"

namespace dt::master {
namespace {

namespace v1 = ::dovetail::v1;
using google::protobuf::MethodDescriptor;

std::vector<const MethodDescriptor*> all_methods() {
  // Naming one message of each file links its descriptors in.
  const google::protobuf::FileDescriptor* files[] = {
      v1::LoginRequest::descriptor()->file(),      v1::HelloMessage::descriptor()->file(),
      v1::HasContextRequest::descriptor()->file(), v1::GetExperimentRequest::descriptor()->file(),
      v1::ReadLogsRequest::descriptor()->file(),   v1::ListSeriesRequest::descriptor()->file(),
      v1::GetTrialRequest::descriptor()->file(),   v1::WatchRequest::descriptor()->file()};
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
grpc::StatusCode call(const client::Client& client, const MethodDescriptor* method) {
  const std::string path = cat("/", method->service()->full_name(), "/", method->name());
  grpc::GenericStub stub(client.channel());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  client.prepare(context);
  grpc::CompletionQueue queue;
  const auto wait = [&] {
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
  };
  const auto stream = stub.PrepareCall(&context, path, &queue);
  stream->StartCall(nullptr);
  wait();
  const grpc::Slice empty("", 0);
  stream->WriteLast(grpc::ByteBuffer(&empty, 1), grpc::WriteOptions(), nullptr);
  wait();
  grpc::Status status;
  stream->Finish(&status, nullptr);
  wait();
  return status.error_code();
}

TEST(Rights, EveryCallButLoginNeedsAToken) {
  const client::Client nobody = real_master().nobody();
  int calls = 0;
  for (const MethodDescriptor* method : all_methods()) {
    ++calls;
    EXPECT_EQ(call(nobody, method), grpc::StatusCode::UNAUTHENTICATED) << method->full_name();
  }
  EXPECT_EQ(calls, 25);  // Login is among them: no user has an empty name
}

TEST(Rights, APersonMayNotCallTheAgentsService) {
  const client::Client person = real_master().person();
  for (const MethodDescriptor* method : all_methods()) {
    if (method->service()->name() != "AgentLink") continue;
    EXPECT_EQ(call(person, method), grpc::StatusCode::PERMISSION_DENIED) << method->full_name();
  }
}

TEST(Rights, AnAgentMayCallOnlyItsServiceAndFetchContexts) {
  const client::Client agent = real_master().agent();
  const std::set<std::string> allowed = {"HasContext", "FetchContext", "GetMaster", "Login"};
  for (const MethodDescriptor* method : all_methods()) {
    if (method->service()->name() == "AgentLink" || allowed.contains(method->name())) continue;
    EXPECT_EQ(call(agent, method), grpc::StatusCode::PERMISSION_DENIED) << method->full_name();
  }
}

TEST(Rights, AWrongTokenSaysHowToGetARightOne) {
  const auto answer = real_master()
                          .client(std::string(64, '0'))
                          .call<v1::Admin>(&v1::Admin::Stub::GetMaster, v1::GetMasterRequest());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.status().code(), Code::unauthenticated);
  EXPECT_EQ(answer.status().text(),
            "the token is not known to this master (run dtctl login, or take the token that dtctl "
            "local up left)");
}

TEST(Rights, TheTokensFilesAreTheOwnersAlone) {
  for (const char* file : {"/admin.token", "/agent.token", "/secret"}) {
    const auto rights = std::filesystem::status(real_master().folder() + file).permissions();
    EXPECT_EQ(rights, std::filesystem::perms(0600)) << file;
  }
}

}  // namespace
}  // namespace dt::master
