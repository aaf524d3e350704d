// Every call needs a token, and the right one: the test walks the service definitions, so a new
// call cannot be forgotten.
#include <set>

#include "tests/unit/master/fixture.h"
#include "tests/unit/master/methods.h"

namespace dt::master {
namespace {

grpc::StatusCode call(const client::Client& client, const MethodDescriptor* method) {
  return call_empty(client, method).error_code();
}

TEST(Rights, EveryCallButLoginNeedsAToken) {
  const client::Client nobody = real_master().nobody();
  int calls = 0;
  for (const MethodDescriptor* method : all_methods()) {
    ++calls;
    EXPECT_EQ(call(nobody, method), grpc::StatusCode::UNAUTHENTICATED) << method->full_name();
  }
  EXPECT_EQ(calls, 40);  // Login is among them: no user has an empty name
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

TEST(Rights, AnAgentsOwnTokenIsAnAgentsAlone) {
  v1::CreateAgentTokenRequest request;
  request.set_request_id("token-of-node-7");
  request.set_name("node-7");
  const auto made = real_master().person().call<v1::Admin>(&v1::Admin::Stub::CreateAgentToken,
                                                           request);
  ASSERT_TRUE(made.ok()) << made.status().text();
  EXPECT_EQ(made->name(), "node-7");
  EXPECT_EQ(made->token().size(), 64u);
  const client::Client node = real_master().client(made->token());
  EXPECT_EQ(node.call<v1::Admin>(&v1::Admin::Stub::GetMaster, {})->user(), "agent");
  EXPECT_EQ(node.call<v1::AgentLink>(&v1::AgentLink::Stub::HasBlobs, {}).status().text(), "");
  EXPECT_EQ(node.call<v1::Experiments>(&v1::Experiments::Stub::ListExperiments, {}).status().code(),
            Code::permission_denied);
  EXPECT_EQ(node.call<v1::Admin>(&v1::Admin::Stub::CreateAgentToken, request).status().code(),
            Code::permission_denied);

  const auto again = real_master().person().call<v1::Admin>(&v1::Admin::Stub::CreateAgentToken,
                                                            request);
  EXPECT_EQ(again->token(), made->token()) << "a repeated request has one effect";
  request.set_request_id("");
  request.set_name("node 7\n");
  EXPECT_EQ(real_master()
                .person()
                .call<v1::Admin>(&v1::Admin::Stub::CreateAgentToken, request)
                .status()
                .text(),
            "name: \"node 7\n\" is no name for a machine's token (1 to 64 letters, digits, '.', "
            "'-' and '_')");
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
