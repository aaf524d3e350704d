// What is said on the sockets of a real dt-shim: by ranks, by agents, by strangers.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/cat.h"
#include "formats/spool.h"
#include "tests/unit/shim/shim_run.h"

namespace dt::shim {
namespace {

using Lines = std::vector<std::string>;

// A shim with one rank that runs this Python; ended when the test goes on.
class OneRank : public ShimRun {
 public:
  explicit OneRank(const std::string& code) {
    spec.set("ranks", Value::Array{0});
    ready();
    start({python("rank", code)});
  }
};

std::vector<std::int64_t> rank_seqs(const ShimRun& run) {
  std::vector<std::int64_t> seqs;
  for (const auto& one : run.records(0, core::RecordKind::metrics)) seqs.push_back(one.rank_seq);
  return seqs;
}

TEST(ShimSocket, AcknowledgesMetricsAndRecordsThem) {
  OneRank run(R"(
v = Voice(start_step=7)
show(v.hear())
v.say(type="metrics", seq=1, group="validation", step=3.0, values={"loss": 0.25, "bad": "NaN"},
      epoch=1.5, surprise="ignored")
show(v.wait("ack"))
)");
  run.wait_until_ended();
  EXPECT_EQ(run.lines(0),
            (Lines{"{'features': [], 'last_seq': 0, 'protocol': 1, 'type': 'welcome'}",
                   "{'seq': 1, 'type': 'ack'}"}));
  const auto hello = run.records(0, core::RecordKind::hello);
  ASSERT_EQ(hello.size(), 1u);
  EXPECT_EQ(hello[0].body, Value(Value::Object{{"start_step", 7}}));
  const auto metrics = run.records(0, core::RecordKind::metrics);
  ASSERT_EQ(metrics.size(), 1u);
  EXPECT_EQ(metrics[0].body,
            Value(Value::Object{{"group", "validation"},
                                {"step", 3},
                                {"values", Value::Object{{"loss", 0.25}, {"bad", "NaN"}}},
                                {"epoch", 1.5}}));
}

TEST(ShimSocket, WhatIsSentAgainAfterAReconnectIsStoredOnce) {
  OneRank run(R"(
v = Voice(); v.wait("welcome")
for n in (1, 2): v.say(type="metrics", seq=n, group="training", step=n, values={"loss": n})
while v.wait("ack")["seq"] < 2: pass
w = Voice()
show(w.wait("welcome")["last_seq"])
show("old", v.hear())
for n in (1, 2, 3): w.say(type="metrics", seq=n, group="training", step=n, values={"loss": n})
while w.wait("ack")["seq"] < 3: pass
)");
  run.wait_until_ended();
  EXPECT_EQ(run.lines(0), (Lines{"2", "old None"}));
  EXPECT_EQ(rank_seqs(run), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(ShimSocket, ARefusedMessageIsExplainedAndTheConnectionGoesOn) {
  OneRank run(R"(
v = Voice(); v.wait("welcome")
def refused():
    m = v.wait("error"); show(m["code"], m.get("seq"), m["message"])
v.raw("{not json"); show(v.wait("error")["code"])
v.say(type="dance", seq=1); refused()
v.say(type="metrics", seq=2, group="training", step=1, values={"loss": "low"}); refused()
v.say(type="metrics", seq=3, group="training", step=1.5, values={}); refused()
v.say(type="metrics", seq=4, group="training", step=1, values={"loss": 1})
show(v.wait("ack")["seq"])
)");
  run.wait_until_ended();
  EXPECT_EQ(
      run.lines(0),
      (Lines{"invalid_json", "unknown_type 1 type 'dance' is unknown",
             "invalid_message 2 metrics: metric 'loss' must be a number or an object with a "
             "type, got \"low\" (report text as {\"type\": \"text\"}; the only texts that are "
             "numbers are NaN, Infinity and -Infinity)",
             "invalid_message 3 metrics: step must be an integer, got 1.5", "4"}));
}

TEST(ShimSocket, ALineOverOneMebibyteIsRefusedAndTheNextIsRead) {
  OneRank run(R"(
v = Voice(); v.wait("welcome")
v.raw("x" * (3 << 20)); show(v.wait("error")["code"])
v.say(type="progress", seq=1, fraction=0.5); show(v.hear()["type"])
)");
  run.wait_until_ended();
  EXPECT_EQ(run.lines(0), (Lines{"line_too_long", "ack"}));
}

TEST(ShimSocket, TokenRankAndProtocolAreChecked) {
  OneRank run(R"(
for bad in (dict(token="guess"), dict(rank=1)):
    show(Voice(**bad).hear()["code"])
)");
  run.wait_until_ended();
  EXPECT_EQ(run.lines(0), (Lines{"unauthenticated", "unknown_rank"}));
}

TEST(ShimSocket, AProcessOutsideOfTheAllocationIsRefused) {
  OneRank run("v = Voice(); show('up'); v.hear(); v.wait('stop')");
  run.wait_for_line(0, "up");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  run.path("rank.sock").copy(address.sun_path, sizeof address.sun_path - 1);
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  char answer[300] = {};
  ASSERT_GT(::recv(fd.get(), answer, sizeof answer - 1, 0), 0);
  EXPECT_NE(std::string(answer).find("foreign_process"), std::string::npos);
  run.order(Value::Object{{"op", "stop"}});
  EXPECT_EQ(run.wait_until_ended().exits[0].code, 0);
}

TEST(ShimSocket, PreemptComesWithTheTimeThatIsLeft) {
  OneRank run(R"(
v = Voice(); v.wait("welcome"); show("up")
m = v.wait("preempt"); show(m["deadline_ms"])
sys.exit(75)
)");
  run.wait_for_line(0, "up");
  run.order(Value::Object{{"op", "preempt"}, {"left_ms", 30'000}});
  EXPECT_EQ(run.wait_until_ended().exits[0].code, 75);
  EXPECT_EQ(run.lines(0), (Lines{"up", "30000"}));
}

TEST(ShimSocket, ACheckpointIsAcknowledgedOnlyIfItsFilesAreThere) {
  OneRank run(R"(
v = Voice(); v.wait("welcome")
folder = os.getcwd() + "/checkpoints/c1/deep"
os.makedirs(folder); open(folder + "/model", "w").write("12345")
os.symlink("/etc/passwd", folder + "/link")
def checkpoint(seq, path, size, id="c1"):
    v.say(type="checkpoint", seq=seq, id=id, step=4, part=0, parts=1, metadata={},
          files=[dict(path=path, bytes=size, sha256="ab")])
    while True:
        m = v.hear()
        if m["type"] == "error": return show(m["code"], m["seq"], m["message"])
        if m["type"] == "ack" and m["seq"] == seq: return show("ack", seq)
checkpoint(1, "deep/model", 5)
checkpoint(2, "deep/model", 6)
checkpoint(3, "deep/none", 1)
checkpoint(4, "deep/link", 1)
checkpoint(5, "../c1/deep/model", 5)
checkpoint(6, "model", 5, id="..")
)");
  run.wait_until_ended();
  EXPECT_EQ(
      run.lines(0),
      (Lines{"ack 1",
             "checkpoint_not_stored 2 checkpoint c1: deep/model has 5 bytes, announced were 6",
             "checkpoint_not_stored 3 checkpoint c1: cannot open deep/none: "
             "No such file or directory",
             "checkpoint_not_stored 4 checkpoint c1: cannot open deep/link: "
             "Too many levels of symbolic links",
             "invalid_message 5 checkpoint: path '../c1/deep/model' must be relative to the "
             "checkpoint's folder",
             "invalid_message 6 checkpoint: id must be a plain name, got \"..\""}));
  EXPECT_EQ(run.records(0, core::RecordKind::checkpoint).size(), 1u);
}

TEST(ShimSocket, TheLastWordsOfARankThatDoesNotWaitAreKept) {
  OneRank run(R"(
v = Voice()
for n in range(1, 501): v.say(type="metrics", seq=n, group="training", step=n, values={"loss": n})
os._exit(0)
)");
  run.wait_until_ended();
  EXPECT_EQ(rank_seqs(run).size(), 500u);
}

TEST(ShimSocket, AnAgentThatComesBackHearsTheStatusAndTheOldConnectionEnds) {
  ShimRun run;
  run.ready();
  run.connect();
  EXPECT_EQ(run.wait_for_phase("ready")["status"]["allocation"], Value("1.7"));
  run.order(Value::Object{{"op", "dance"}});
  const Value error = run.wait_for([](const Value& message) { return message["op"] == "error"; });
  EXPECT_EQ(error["message"],
            Value("op \"dance\" is unknown; there are start, preempt, stop, kill and lease"));
  run.order(Value::Object{{"op", "kill"}});
  EXPECT_TRUE(run.wait_until_ended().infrastructure);
}

TEST(ShimSocket, ASecondShimOfAFolderDoesNotBegin) {
  ShimRun run;
  run.ready();
  const std::string command = cat(DT_SHIM_PROGRAM, " ", run.folder(), " 2> ", run.path("second"));
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 3);
  ::kill(run.pid(), SIGKILL);
  run.wait_exit();
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_EQ(run.state()["phase"], Value("ready"));
}

TEST(ShimSocket, ASpecThatIsWrongIsReportedInTheState) {
  ShimRun run;
  run.spec.set("token", 5);
  std::ofstream(run.path("spec.json")) << "{\"allocation\": \"1.7\", \"node_rank\": \"x\"}";
  const std::string command = cat(DT_SHIM_PROGRAM, " ", run.folder(), " 2> /dev/null");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_EQ(run.state()["failure"], Value(cat("the shim could not begin: ", run.path("spec.json"),
                                              ": node_rank must be an integer, got \"x\"")));
  EXPECT_EQ(run.state()["phase"], Value("ended"));
}

TEST(ShimSocket, TheEnvironmentIsRecordedOnceWithTheSocket) {
  ShimRun run;
  run.spec.set("ranks", Value::Array{0});
  run.ready();
  const Value variable = Value::Object{{"name", "A"}, {"value", "b"}, {"reason", "the user"}};
  run.order(Value::Object{{"op", "start"},
                          {"ranks", Value::Array{rank_command(0, "true")}},
                          {"environment", Value::Object{{"variables", Value::Array{variable}}}}});
  run.wait_until_ended();
  const auto records = run.records(-1, core::RecordKind::environment);
  ASSERT_EQ(records.size(), 1u);
  const Value& variables = records[0].body["variables"];
  ASSERT_EQ(variables.as_array().size(), 2u);
  EXPECT_EQ(variables.as_array()[0], variable);
  EXPECT_EQ(variables.as_array()[1]["name"], Value("DT_SOCKET"));
}

TEST(ShimPrepare, RunsOncePerMarker) {
  const auto prepare = [](ShimRun& run, const std::string& marker) {
    Value command = rank_command(0, "echo built");
    run.spec.set("prepare", command.set("marker", marker));
    run.ready();
    run.order(Value::Object{{"op", "kill"}});
    run.wait_until_ended();
  };
  ShimRun first;
  prepare(first, first.path("done"));
  EXPECT_EQ(first.lines(-1).front(), "built");
  ShimRun second;
  prepare(second, first.path("done"));
  EXPECT_NE(second.lines(-1).front(), "built");
}

TEST(ShimPrepare, AFailureSaysItsLastLine) {
  ShimRun run;
  run.spec.set("prepare", rank_command(0, "echo 'no rule to make target' >&2; exit 2"));
  run.begin();
  const auto status = run.wait_until_ended();
  EXPECT_EQ(status.failure, "prepare failed with exit code 2: no rule to make target");
  EXPECT_FALSE(status.infrastructure);
}

TEST(ShimPrepare, OneThatFindsNoSpaceIsRunAgain) {
  ShimRun run;
  const std::string once = run.path("once");
  run.spec.set("prepare", rank_command(0, cat("test -e ", once, " && exec echo built; touch ", once,
                                              "; echo 'as: No space left on device' >&2; exit 1")));
  run.ready();
  run.order(Value::Object{{"op", "kill"}});
  run.wait_until_ended();
  const auto lines = run.lines(-1);
  ASSERT_GE(lines.size(), 3u);
  EXPECT_EQ(lines[0], "as: No space left on device");
  EXPECT_EQ(lines[1].find("prepare failed: no space left in "), 0u) << lines[1];
  EXPECT_EQ(lines[2], "built");
}

TEST(ShimPrepare, ThatFoundNoSpaceIsNotRunAgainAfterAKill) {
  ShimRun run;
  run.spec.set("prepare", rank_command(0,
                                       "trap '' TERM; echo 'as: No space left on device'; "
                                       "while :; do sleep 1; done"));
  run.begin();
  run.wait_for_line(-1, "as: No space left on device");
  run.order(Value::Object{{"op", "kill"}});
  EXPECT_EQ(run.wait_until_ended().failure, "killed before its ranks started");
}

TEST(ShimPrepare, CanBeKilledWhileItRuns) {
  ShimRun run;
  run.spec.set("prepare", rank_command(0, "trap '' TERM; echo up; while :; do sleep 1; done"));
  run.begin();
  run.wait_for_line(-1, "up");
  run.order(Value::Object{{"op", "kill"}});
  EXPECT_EQ(run.wait_until_ended().failure, "killed before its ranks started");
}

TEST(ShimPort, IsHeldUntilTheEndAndRankZeroMayListenAtIt) {
  ShimRun run;
  run.spec.set("bind_port", true);
  run.begin();
  const std::int64_t port = run.wait_for_phase("ready")["status"]["port"].as_int();
  const std::string listen = cat(R"(
def bind(reuse):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuse)
    try: s.bind(("127.0.0.1", )",
                                 port, R"()); s.listen(); return "listens"
    except OSError as e: return e.strerror
show(bind(0)); show(bind(1))
)");
  run.start({run.python("rank", listen), "true"});
  run.wait_until_ended();
  EXPECT_EQ(run.lines(0), (Lines{"Address already in use", "listens"}));
}

}  // namespace
}  // namespace dt::shim
