// The rank's side of protocol 1 against a shim made for the test.
#include <gtest/gtest.h>

#include <set>

#include "base/cat.h"
#include "fake_shim.h"
#include "formats/json.h"
#include "ranks.h"
#include "trial/rank/rank_socket.h"

namespace dt::trial {
namespace {

using Words = std::vector<std::string>;

// "metrics training 3", "checkpoint 10", "progress 0.5", "exit completed"
std::string summary(const Value& message) {
  const std::string type = message["type"].as_string();
  if (type == "metrics") {
    return cat(type, " ", message["group"].as_string(), " ", message["step"].as_int());
  }
  if (type == "checkpoint") return cat(type, " ", message["step"].as_int());
  if (type == "progress") return cat(type, " ", message["fraction"].as_double());
  return cat(type, " ", message["reason"].as_string());
}

std::string summaries(const FakeShim& shim, int rank) {
  std::string out;
  for (const auto& said : shim.said()) {
    if (said.rank == rank) out += summary(said.message) + "\n";
  }
  return out;
}

TEST(Protocol, EveryStepOfEveryRankArrivesInOrder) {
  const TempFolder folder;
  FakeShim shim(folder.path() + "/socket");
  auto variables = shim.variables();
  variables["DT_CHECKPOINT_DIR"] = folder.path() + "/checkpoints";
  variables["DT_CONFIG"] =
      R"({"scheduling_unit":1,"min_validation_period":{"batches":2},"searcher":{"name":"single"}})";
  variables["DT_HPARAMS"] = R"({"steps":4,"lr":0.1})";
  const auto results = run_ranks({2, {}, variables});
  for (const auto& result : results) EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(summaries(shim, 0),
            "metrics training 1\nmetrics training 2\nmetrics validation 2\nprogress 0.5\n"
            "metrics training 3\nmetrics training 4\nmetrics validation 4\nprogress 1\n"
            "checkpoint 4\n");
  EXPECT_EQ(summaries(shim, 1),
            "metrics training 1\nmetrics training 2\nmetrics training 3\nmetrics training 4\n");
}

TEST(Protocol, RanksReportTheirOwnMeansAndValidationsCarryTheTimeMetric) {
  const TempFolder folder;
  FakeShim shim(folder.path() + "/socket");
  const auto local = run_ranks({2, {"--steps", "1"}, {}});
  run_ranks({2, {"--steps", "1"}, shim.variables()});
  const double first = shim.of(0, "metrics").at(0).message["values"]["loss"].as_double();
  const double second = shim.of(1, "metrics").at(0).message["values"]["loss"].as_double();
  EXPECT_NE(first, second);
  const double both = number_in(lines_of(local[0].out, "training").at(0), "loss");
  EXPECT_LT(std::min(first, second), both);
  EXPECT_GT(std::max(first, second), both);
  const Value validation = shim.of(0, "metrics").at(1).message;
  EXPECT_EQ(validation["group"], Value("validation"));
  EXPECT_EQ(validation["values"]["batches"].as_double(), 1);
}

TEST(Protocol, CheckpointsNameTheirFilesAndHelloTheStepOfTheLastOne) {
  const TempFolder folder;
  const TempFolder checkpoints;
  FakeShim shim(folder.path() + "/socket");
  auto variables = shim.variables();
  variables["DT_CHECKPOINT_DIR"] = checkpoints.path();
  run_ranks({1, {"--steps", "3"}, variables});
  const Value message = shim.of(0, "checkpoint").at(0).message;
  ASSERT_EQ(checkpoints.entries(), Words{message["id"].as_string()});
  EXPECT_EQ(message["part"], Value(0));
  EXPECT_EQ(message["parts"], Value(1));
  Words paths;
  for (const Value& file : message["files"].as_array()) {
    paths.push_back(file["path"].as_string());
    EXPECT_EQ(file["sha256"].as_string().size(), 64u);
  }
  EXPECT_EQ(paths, (Words{"model.safetensors", "training.safetensors", "manifest.json"}));
}

TEST(Protocol, ANanArrivesAsText) {
  const TempFolder folder;
  FakeShim shim(folder.path() + "/socket");
  const auto results = run_ranks({1, {"--steps", "2", "--nan_at", "1"}, shim.variables()});
  EXPECT_EQ(results[0].code, 0);
  EXPECT_EQ(shim.of(0, "metrics").at(0).message["values"]["loss"], Value("NaN"));
}

TEST(Protocol, StopEndsAllRanksWithoutACheckpoint) {
  const TempFolder folder;
  FakeShim shim(folder.path() + "/socket", [](int rank, const Value& message) {
    const bool now = rank == 0 && message["step"] == Value(3);
    return now ? Words{R"({"type":"stop"})"} : Words{};
  });
  auto variables = shim.variables();
  variables["DT_CHECKPOINT_DIR"] = folder.path() + "/checkpoints";
  const auto results = run_ranks({2, {"--steps", "100000"}, variables});
  EXPECT_EQ(results[0].code, 0) << results[0].err;
  EXPECT_EQ(results[1].code, 0) << results[1].err;
  EXPECT_TRUE(shim.of(0, "checkpoint").empty());
  EXPECT_NE(results[0].out.find("stopped after step "), std::string::npos);
  EXPECT_EQ(shim.of(0, "metrics").back().message["step"],
            shim.of(1, "metrics").back().message["step"]);
}

TEST(Protocol, AFailureSaysWhyToTheShimToo) {
  const TempFolder folder;
  FakeShim shim(folder.path() + "/socket");
  const auto results = run_ranks({1, {"--throw_at", "2"}, shim.variables()});
  EXPECT_EQ(results[0].code, 1);
  EXPECT_EQ(summaries(shim, 0), "metrics training 1\nexit the trial gave up\n");
}

TEST(Protocol, AWrongTokenIsTheEnd) {
  const TempFolder folder;
  FakeShim shim(folder.path() + "/socket", nullptr, "another");
  const auto results = run_ranks({1, {}, shim.variables()});
  EXPECT_EQ(results[0].code, 1);
  EXPECT_NE(results[0].err.find("the shim refused rank 0: wrong token (unauthenticated)"),
            std::string::npos)
      << results[0].err;
}

Value numbered(int step) {
  Value message;
  message.set("type", "metrics").set("step", step);
  return message;
}

std::unique_ptr<RankSocket> open_socket(const TempFolder& folder) {
  auto socket = RankSocket::open({.path = folder.path() + "/socket", .token = "token"});
  EXPECT_TRUE(socket.ok()) << socket.status().text();
  return std::move(socket).value();
}

TEST(RankSocket, SendsAgainWhatWasNotAcknowledgedWhenTheConnectionBroke) {
  const TempFolder folder;
  std::set<std::int64_t> drops = {10, 25};  // each once
  FakeShim shim(folder.path() + "/socket", [&](int, const Value& message) {
    const auto step = message["step"].as_int();
    if (drops.erase(step)) return Words{"close"};
    return step % 3 ? Words{"no ack"} : Words{};
  });
  auto socket = open_socket(folder);
  for (int step = 1; step <= 30; ++step) ASSERT_TRUE(socket->send(numbered(step)).ok());
  EXPECT_EQ(socket->drain(std::chrono::seconds(30)), 0);
  EXPECT_EQ(shim.connections(), 3);
  const auto said = shim.said();
  ASSERT_EQ(said.size(), 30u);
  for (int step = 1; step <= 30; ++step) {
    EXPECT_EQ(said[static_cast<std::size_t>(step - 1)].message["step"], Value(step));
    EXPECT_EQ(said[static_cast<std::size_t>(step - 1)].message["seq"], Value(step));
  }
}

TEST(RankSocket, CountsWhatWasNeverAcknowledged) {
  const TempFolder folder;
  FakeShim shim(folder.path() + "/socket", [](int, const Value&) { return Words{"no ack"}; });
  auto socket = open_socket(folder);
  for (int step = 1; step <= 3; ++step) ASSERT_TRUE(socket->send(numbered(step)).ok());
  EXPECT_EQ(socket->drain(std::chrono::milliseconds(50)), 3);
}

TEST(RankSocket, DoesNotSendAgainWhatTheShimRefused) {
  const TempFolder folder;
  FakeShim shim(folder.path() + "/socket", [](int, const Value& message) {
    if (message["step"] != Value(2)) return Words{"no ack"};
    return Words{R"({"type":"ack","seq":1})",
                 R"({"type":"error","code":"invalid_message","message":"no","seq":2})",
                 "no ack after"};
  });
  auto socket = open_socket(folder);
  ASSERT_TRUE(socket->send(numbered(1)).ok());
  ASSERT_TRUE(socket->send(numbered(2)).ok());
  EXPECT_EQ(socket->drain(std::chrono::seconds(30)), 0);
}

TEST(RankSocket, RefusesALineOverAMebibyte) {
  const TempFolder folder;
  FakeShim shim(folder.path() + "/socket");
  auto socket = open_socket(folder);
  Value message = numbered(1);
  message.set("text", std::string(1 << 20, 'x'));
  EXPECT_EQ(socket->send(message).code(), Code::resource_exhausted);
  ASSERT_TRUE(socket->send(numbered(2)).ok());  // and goes on
  EXPECT_EQ(socket->drain(std::chrono::seconds(30)), 0);
}

TEST(RankSocket, GivesUpOnASocketThatIsNotThere) {
  const TempFolder folder;
  const auto socket = RankSocket::open({.path = folder.path() + "/none",
                                        .token = "token",
                                        .welcome_timeout = std::chrono::milliseconds(50)});
  ASSERT_FALSE(socket.ok());
  EXPECT_NE(socket.status().message().find("gave no welcome"), std::string::npos);
}

}  // namespace
}  // namespace dt::trial
