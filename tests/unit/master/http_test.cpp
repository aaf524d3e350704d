// The API as JSON over HTTP: the same calls, rights and errors as by gRPC.
#include <thread>

#include "base/verify.h"
#include "formats/sha256.h"
#include "master/http/answer.h"
#include "tests/unit/master/fixture.h"
#include "tests/unit/master/http_client.h"
#include "tests/unit/master/methods.h"

namespace dt::master {
namespace {

HttpResult post(const HttpCall& call) { return http(real_master().http_address(), call); }
HttpResult ask(const std::string& call, const std::string& body = "{}") {
  return post({.call = call, .token = real_master().token_in("admin.token"), .body = body});
}

std::string name_of(const MethodDescriptor* method) {
  return cat(method->service()->name(), "/", method->name());
}
bool is_conversation(const MethodDescriptor* method) {
  return method->client_streaming() && method->server_streaming();
}

// Every call but Link, asked by HTTP and by gRPC with nothing in it.
void expect_same_ends(const std::string& token) {
  int compared = 0;
  for (const MethodDescriptor* method : all_methods()) {
    if (is_conversation(method)) continue;
    const grpc::Status by_grpc = call_empty(real_master().client(token), method);
    if (by_grpc.error_code() == grpc::StatusCode::CANCELLED) continue;  // a stream without an end
    const HttpResult by_http = post({.call = name_of(method), .token = token});
    ++compared;
    const auto code = static_cast<Code>(by_grpc.error_code());
    EXPECT_EQ(by_http.status, http_status(code)) << method->full_name() << by_http.body;
    if (by_grpc.ok()) continue;
    EXPECT_EQ(by_http.json()["code"], Value(to_text(code))) << method->full_name();
    EXPECT_EQ(by_http.json()["message"], Value(by_grpc.error_message())) << method->full_name();
  }
  EXPECT_GE(compared, 29);
}

TEST(Http, EveryCallRefusesAWrongTokenAsGrpcDoes) { expect_same_ends(std::string(64, '0')); }
TEST(Http, EveryCallEndsForAPersonAsByGrpc) {
  expect_same_ends(real_master().token_in("admin.token"));
}
TEST(Http, EveryCallEndsForAnAgentAsByGrpc) {
  expect_same_ends(real_master().token_in("agent.token"));
}

TEST(Http, ARefusalTellsTheWayOut) {
  const HttpResult refused = post({.call = "Trials/GetTrial", .token = "nonsense"});
  EXPECT_EQ(refused.status, 401);
  EXPECT_NE(refused.head.find("WWW-Authenticate: Bearer"), std::string::npos) << refused.head;
  EXPECT_EQ(refused.json()["detail"]["hint"],
            Value("run dtctl login, or take the token that dtctl local up left"));
  const HttpResult missing = ask("Trials/GetTrial", R"({"id": "987654"})");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.json()["message"], Value("trial 987654 does not exist"));
}

TEST(Http, AnExperimentIsMadeReadAndListed) {
  const HttpResult made = ask("Experiments/CreateExperiment", R"({
      "configYaml": "name: by-http\nentrypoint: ./train\nsearcher: {name: single, metric: loss}\n",
      "paused": true})");
  ASSERT_EQ(made.status, 200) << made.body;
  const std::string id = made.json()["experimentId"].as_string();  // 64-bit numbers are strings
  const HttpResult got = ask("Experiments/GetExperiment", cat("{\"id\": ", id, "}"));
  EXPECT_EQ(got.json()["experiment"]["name"], Value("by-http"));
  EXPECT_EQ(got.json()["experiment"]["trials"], Value(1));
  EXPECT_EQ(got.json()["experiment"]["trialsRunning"], Value(1));
  EXPECT_EQ(got.json()["experiment"]["endedMs"], Value("0")) << "what is nothing is there too";
  EXPECT_EQ(got.json()["experiment"].find("bestMetric"), nullptr) << "but not what is unknown";
  const HttpResult listed = ask("Experiments/ListExperiments", R"({"page": {"size": 1}})");
  EXPECT_EQ(listed.json()["experiments"].as_array().size(), 1u);
}

TEST(Http, WhatIsNoCallIsRefusedClearly) {
  const auto message = [](const HttpResult& result) {
    return cat(result.status, " ", result.json()["message"].as_string());
  };
  EXPECT_EQ(message(ask("Trials/Frobnicate")), "404 there is no call /api/v1/Trials/Frobnicate");
  EXPECT_EQ(message(ask("Trials")), "404 there is no call /api/v1/Trials");
  EXPECT_EQ(message(ask("/elsewhere")), "404 there is nothing at /elsewhere");
  EXPECT_EQ(message(post({.call = "Trials/GetTrial", .body = "", .method = "GET"})),
            "405 /api/v1/Trials/GetTrial takes POST, not GET");
  EXPECT_EQ(message(post({.call = "Trials/GetTrial", .content_type = "text/html"})),
            "415 /api/v1/Trials/GetTrial takes application/json, not text/html");
  EXPECT_EQ(ask("AgentLink/Link").status, 501);
  const std::string hint = ask("AgentLink/Link").json()["detail"]["hint"].as_string();
  EXPECT_EQ(hint.substr(0, 27), "call it by gRPC at 127.0.0.");
}

TEST(Http, BrokenBodiesAreRefusedWithTheirPlace) {
  const HttpResult torn = ask("Trials/GetTrial", "{\"id\": ");
  EXPECT_EQ(torn.status, 400);
  EXPECT_EQ(torn.json()["message"].as_string().substr(0, 30), "the body is no GetTrialRequest");
  EXPECT_EQ(ask("Trials/GetTrial", R"({"idd": 1})").status, 400);
  EXPECT_EQ(ask("Trials/GetTrial", R"({"id": "one"})").status, 400);
  EXPECT_EQ(ask("Trials/GetTrial", "").status, 404) << "no body is an empty request";
  const HttpResult line = ask("Contexts/UploadContext", "{}\n\n{\"hash\": 1\n");
  EXPECT_EQ(line.json()["message"].as_string().substr(0, 8), "line 3: ") << line.body;
}

TEST(Http, BodiesHaveALimit) {
  const HttpResult nobody = post({.call = "Trials/GetTrial", .body = std::string(100'000, ' ')});
  EXPECT_EQ(nobody.status, 413);
  EXPECT_EQ(nobody.json()["message"],
            Value("the body of /api/v1/Trials/GetTrial is larger than 64 KiB"));
  EXPECT_EQ(ask("Trials/GetTrial", std::string(100'000, ' ')).status, 404);
  HttpPeer chunked(real_master().http_address());
  chunked.send(
      "POST /api/v1/Trials/GetTrial HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 3; ++i) chunked.send(cat("8000\r\n", std::string(0x8000, ' '), "\r\n"));
  EXPECT_EQ(chunked.result().status, 413);
}

TEST(Http, AConnectionIsKeptForTheNextRequest) {
  HttpPeer peer(real_master().http_address());
  const HttpCall call{.call = "Admin/GetMaster", .token = real_master().token_in("admin.token")};
  for (int i = 0; i < 3; ++i) {
    peer.send(request_text(call));
    EXPECT_EQ(peer.result().status, 200);
    peer.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(peer.result().json()["status"], Value("ok"));
  }
}

TEST(Http, AClientsStreamIsALineAMessage) {
  const std::string hash = sha256_hex("x");
  const HttpResult answer =
      ask("Contexts/UploadContext", cat("{\"hash\": \"", hash, "\"}\n{\"data\": \"eA==\"}\n"));
  EXPECT_EQ(answer.json()["message"].as_string().substr(0, 8), "context:")
      << "both messages came, and the archive is none: " << answer.body;
}

TEST(Http, AServersStreamIsALineAMessageAsItComes) {
  HttpPeer peer(real_master().http_address());
  peer.send(request_text({.call = "Watch/Watch",
                          .token = real_master().token_in("admin.token"),
                          .body = R"({"kinds": ["experiment"]})"}));
  const std::string head = peer.until("\r\n\r\n");
  EXPECT_NE(head.find("200 OK"), std::string::npos) << head;
  EXPECT_NE(head.find("application/x-ndjson"), std::string::npos) << head;
  EXPECT_EQ(parse_json(peer.chunk()).value()["heartbeat"], Value(true));
  const HttpResult made = ask("Experiments/CreateExperiment", R"({
      "configYaml": "entrypoint: ./train\nsearcher: {name: single, metric: loss}\n",
      "paused": true})");
  const Value change = parse_json(peer.chunk()).value()["change"];
  EXPECT_EQ(change["experimentId"], made.json()["experimentId"]);
}

TEST(Http, AStreamThatFailsAtOnceIsARefusal) {
  const HttpResult refused = ask("Logs/ReadLogs", R"({"trialId": 424242})");
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(refused.json()["message"], Value("trial 424242 does not exist"));
}

TEST(Http, AReaderWhoLeavesEndsTheCall) {
  // More readers than may be served at a time, one after the other: each leaves its place.
  for (int i = 0; i < 300; ++i) {
    HttpPeer peer(real_master().http_address());
    peer.send(request_text(
        {.call = "Watch/Watch", .token = real_master().token_in("admin.token"), .body = "{}"}));
    ASSERT_NE(peer.until("\r\n\r\n").find("200 OK"), std::string::npos) << "reader " << i;
  }
}

}  // namespace
}  // namespace dt::master
