// The whole agent with real shims and ranks, against a fake master behind a real socket.
#include "agent/agent.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <future>

#include "agent/detect.h"
#include "agent/files.h"
#include "agent/launch.h"
#include "formats/json.h"
#include "tests/unit/agent/fake_master.h"
#include "tests/unit/agent/temporary_folder.h"

namespace dt::agent {
namespace {

std::string archive_of(const TemporaryFolder& folder,
                       const std::map<std::string, std::string>& files) {
  const std::string path = folder / "made.tar.gz";
  archive* writer = archive_write_new();
  archive_write_add_filter_gzip(writer);
  archive_write_set_format_pax_restricted(writer);
  archive_write_open_filename(writer, path.c_str());
  for (const auto& [name, text] : files) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
    archive_write_header(writer, entry);
    archive_write_data(writer, text.data(), text.size());
    archive_entry_free(entry);
  }
  archive_write_free(writer);
  return read_file(path).value();
}

// An agent that runs until it is crashed or shut down.
class RunningAgent {
 public:
  explicit RunningAgent(const AgentOptions& options) {
    auto opened = Agent::open(options);
    EXPECT_TRUE(opened.ok()) << opened.status().text();
    agent_ = std::move(opened).value();
    ended_ = std::async(std::launch::async, [this] { return agent_->run(); });
  }
  ~RunningAgent() {
    agent_->shut_down();
    if (ended_.valid()) ended_.wait();
  }

  Status wait() { return ended_.get(); }

 private:
  std::unique_ptr<Agent> agent_;
  std::future<Status> ended_;
};

// dt-agent itself, as a process of its own.
class AgentProgram {
 public:
  explicit AgentProgram(const AgentOptions& options) {
    std::vector<std::string> words{
        own_folder() + "/dt-agent", "--master",     options.master,     "--dir",
        options.data_dir,           "--token-file", options.token_file, "--slots",
        cat(options.slots)};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    EXPECT_EQ(::posix_spawn(&pid_, argv[0], nullptr, nullptr, argv.data(), environ), 0);
  }
  ~AgentProgram() {
    if (pid_ > 0) end(SIGKILL);
  }

  int end(int signal) {
    int status = 0;
    ::kill(pid_, signal);
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_ = 0;
};

class AgentProcess : public testing::Test {
 protected:
  AgentProcess() {
    EXPECT_TRUE(replace_file(folder_ / "token", "agent's\n").ok());
    options_ = {.master = master_.address(),
                .data_dir = folder_ / "data",
                .token_file = folder_ / "token",
                .slots = 2};
  }

  v1::WantedMessage wanted(const std::string& order) {
    v1::WantedMessage message;
    message.set_allocation_id("1.7");
    message.set_order(order);
    return message;
  }

  v1::WantedMessage prepare(const std::string& entrypoint, int ranks = 1,
                            const std::string& command = "") {
    v1::WantedMessage message = wanted("prepare");
    auto* assignment = message.mutable_assignment();
    assignment->set_experiment_id(1);
    assignment->set_trial_id(3);
    assignment->set_attempt(1);
    assignment->set_nodes(1);
    assignment->set_size(ranks);
    assignment->set_rank_token("rank-token");
    assignment->set_hparams_json("{}");
    assignment->set_context_hash(context_);
    for (int rank = 0; rank < ranks; ++rank) assignment->add_slot_ids(cat("cpu", rank));
    Value config;
    config.set("name", "test")
        .set("entrypoint", entrypoint)
        .set("hyperparameters", Value::Object{});
    config.set("searcher", Value::Object{{"name", "single"}, {"metric", "loss"}});
    if (!command.empty()) config.set("prepare", command);
    assignment->set_config_json(to_json(config));
    return message;
  }

  v1::WantedMessage start(int ranks = 1) {
    v1::WantedMessage message = wanted("start");
    auto* table = message.mutable_table();
    table->set_master_address("127.0.0.1");
    table->set_master_port(master_.status("1.7").port());
    for (int rank = 0; rank < ranks; ++rank) {
      auto* place = table->add_ranks();
      place->set_rank(rank);
      place->set_local_rank(rank);
      place->set_address("127.0.0.1");
    }
    return message;
  }

  // Until the ranks run.
  void run_ranks(const std::string& entrypoint, int ranks = 1, const std::string& command = "") {
    master_.want({prepare(entrypoint, ranks, command)});
    if (!master_.wait_for_phase("1.7", "ready")) return;
    master_.want({start(ranks)});
    master_.wait_for_phase("1.7", "running");
    master_.want({wanted("run")});
  }

  // The number that a rank printed after `name`.
  int printed(const std::string& name) {
    master_.wait_for_log(name);
    for (const v1::RecordMessage& record : master_.records("log")) {
      const std::size_t at = record.body_json().find(name);
      if (at != std::string::npos) return std::atoi(record.body_json().c_str() + at + name.size());
    }
    return 0;
  }

  static bool ends_soon(int pid) {
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!process.is_open()) return true;
    pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
    return ::poll(&end, 1, 30'000) == 1;
  }

  TemporaryFolder folder_;
  FakeMaster master_;
  AgentOptions options_;
  std::string context_;
};

TEST_F(AgentProcess, SaysWhatItIs) {
  const RunningAgent agent(options_);
  ASSERT_TRUE(master_.wait_for_hellos(1));
  const v1::HelloMessage hello = master_.hello();
  EXPECT_EQ(hello.slots_size(), 2);
  EXPECT_EQ(hello.slots(1).id(), "cpu1");
  EXPECT_EQ(hello.slots(1).kind(), "cpu");
  EXPECT_EQ(hello.boot_id(), boot_id());
  EXPECT_EQ(hello.address(), "127.0.0.1");
  EXPECT_EQ(hello.agent_id() + "\n", read_file(folder_ / "data/agent-id").value());
}

TEST_F(AgentProcess, RunsRanksInTheirContextAndRelaysWhatTheySay) {
  context_ = master_.add_context(archive_of(
      folder_, {{"train.sh", "echo rank $RANK of $WORLD_SIZE at port $MASTER_PORT; cat note"}}));
  const RunningAgent agent(options_);
  run_ranks("sh train.sh", 2, "echo prepared > note");
  master_.wait_for_phase("1.7", "ended");
  const v1::AllocationStatusMessage status = master_.status("1.7");
  ASSERT_EQ(status.exits_size(), 2) << status.ShortDebugString();
  EXPECT_EQ(status.exits(0).code(), 0);
  EXPECT_EQ(status.exits(1).code(), 0);
  master_.wait_for_log(cat("rank 1 of 2 at port ", status.port()));
  master_.wait_for_log("prepared");
  ASSERT_TRUE(master_.wait_for_record("environment"));
  const std::string environment = master_.records("environment")[0].body_json();
  EXPECT_NE(environment.find("DT_TRIAL_ID"), std::string::npos);
  EXPECT_EQ(environment.find("rank-token"), std::string::npos) << "secrets are not recorded";
}

TEST_F(AgentProcess, PrepareThatFailsEndsTheAllocationWithItsReason) {
  const RunningAgent agent(options_);
  master_.want({prepare("true", 1, "echo no compiler >&2; exit 3")});
  master_.wait_for_phase("1.7", "ended");
  EXPECT_NE(master_.status("1.7").failure().find("no compiler"), std::string::npos)
      << master_.status("1.7").ShortDebugString();
  EXPECT_FALSE(master_.status("1.7").infrastructure());
}

TEST_F(AgentProcess, AContextThatIsNotThereIsTheInfrastructuresFault) {
  context_ = std::string(64, 'a');
  const RunningAgent agent(options_);
  master_.want({prepare("true")});
  master_.wait_for_phase("1.7", "ended");
  EXPECT_EQ(master_.status("1.7").failure(), "context " + context_ + " is not there");
  EXPECT_TRUE(master_.status("1.7").infrastructure());
}

TEST_F(AgentProcess, KillsWhatIsNotWantedAnyMore) {
  const RunningAgent agent(options_);
  run_ranks("echo pid=$$; exec sleep 1000");
  const int pid = printed("pid=");
  master_.want({});
  master_.wait_for_phase("1.7", "ended");
  EXPECT_TRUE(ends_soon(pid));
  EXPECT_EQ(master_.status("1.7").exits(0).ordered(), "kill");
}

TEST_F(AgentProcess, PreparesAContextOnceForAllItsAllocations) {
  context_ = master_.add_context(archive_of(folder_, {{"note", "built"}}));
  const RunningAgent agent(options_);
  v1::WantedMessage first = prepare("true", 1, "cat note >> log; wc -l < log");
  v1::WantedMessage second = first;
  second.set_allocation_id("1.8");
  master_.want({first, second});
  master_.wait_for_phase("1.7", "ready");
  master_.wait_for_phase("1.8", "ready");
  EXPECT_EQ(read_file(folder_ / "data/contexts/" + context_ + "/log").value(), "built");
}

TEST_F(AgentProcess, ARankThatCheckpointedIsResumedFromIt) {
  // The rank speaks the protocol by the Python client, as any script does.
  context_ = master_.add_context(archive_of(folder_, {{"train.py", R"(
import dovetail, os
run = dovetail.init()
if run.latest_checkpoint:
    print("resumed with", open(os.path.join(run.latest_checkpoint, "weights")).read(), flush=True)
else:
    with run.checkpoint(step=5) as folder:
        with open(os.path.join(folder, "weights"), "w") as file:
            file.write("w5")
)"}}));
  const RunningAgent agent(options_);
  run_ranks("python3 train.py");
  ASSERT_TRUE(master_.wait_for_parts(1));
  EXPECT_EQ(master_.parts()[0].failure(), "");
  ASSERT_TRUE(master_.wait_for_record("checkpoint"));
  const Value body = parse_json(master_.records("checkpoint")[0].body_json()).value();
  v1::WantedMessage again = prepare("python3 train.py");
  again.set_allocation_id("1.8");
  auto* source = again.mutable_assignment()->mutable_checkpoint();
  source->set_id(body["id"].as_string());
  for (const Value& one : body["files"].as_array()) {
    auto* file = source->add_files();
    file->set_path(one["path"].as_string());
    file->set_bytes(one["bytes"].as_int());
    file->set_sha256(one["sha256"].as_string());
  }
  master_.want({again});
  master_.wait_for_phase("1.8", "ready");
  v1::WantedMessage go = start();
  go.set_allocation_id("1.8");
  go.mutable_table()->set_master_port(master_.status("1.8").port());
  master_.want({go});
  master_.wait_for_log("resumed with w5");
}

TEST_F(AgentProcess, RanksOutliveAnOutageOfTheMasterAndNothingIsLost) {
  const RunningAgent agent(options_);
  run_ranks("echo pid=$$; while ! test -e go; do sleep 0.02; done; echo went on");
  printed("pid=");
  master_.stop();
  ASSERT_TRUE(replace_file(folder_ / "data/allocations/1.7/work/go", "").ok());
  master_.start();
  ASSERT_TRUE(master_.wait_for_hellos(2));
  master_.wait_for_log("went on");
  master_.wait_for_phase("1.7", "ended");
  EXPECT_EQ(master_.status("1.7").exits(0).code(), 0);
}

TEST_F(AgentProcess, WhatAMasterLostIsSentAgain) {
  const RunningAgent agent(options_);
  run_ranks("echo first; while ! test -e go; do sleep 0.02; done");
  master_.wait_for_log("first");
  master_.lose_records();
  master_.wait_for_log("first");
  ASSERT_TRUE(replace_file(folder_ / "data/allocations/1.7/work/go", "").ok());
}

TEST_F(AgentProcess, RanksEndWithTheirLeaseWhenTheMasterStaysAway) {
  master_.set_lease(1'000);
  const RunningAgent agent(options_);
  run_ranks("echo pid=$$; exec sleep 1000");
  const int pid = printed("pid=");
  master_.stop();
  EXPECT_TRUE(ends_soon(pid));
  master_.start();
  master_.wait_for_phase("1.7", "ended");
  // To the master it is as if they had been preempted: it costs the trial no restart.
  EXPECT_EQ(master_.status("1.7").exits(0).ordered(), "preempt");
}

TEST_F(AgentProcess, RanksOutliveACrashedAgentAndAreFoundAgain) {
  AgentProgram crashes(options_);
  run_ranks("echo pid=$$; while ! test -e go; do sleep 0.02; done; echo went on");
  printed("pid=");
  crashes.end(SIGKILL);
  AgentProgram next(options_);
  ASSERT_TRUE(master_.wait_for_hellos(2));
  ASSERT_EQ(master_.hello().allocations_size(), 1);
  EXPECT_EQ(master_.hello().allocations(0).phase(), "running");
  ASSERT_TRUE(replace_file(folder_ / "data/allocations/1.7/work/go", "").ok());
  master_.wait_for_log("went on");
  master_.wait_for_phase("1.7", "ended");
}

TEST_F(AgentProcess, AShimThatDiesWithItsAgentIsLostWhenTheNextOneComes) {
  AgentProgram crashes(options_);
  run_ranks("echo pid=$$; echo shim=$PPID; exec sleep 1000");
  const int pid = printed("pid=");
  const int shim = printed("shim=");
  crashes.end(SIGKILL);
  ::kill(shim, SIGKILL);
  EXPECT_TRUE(ends_soon(pid));
  AgentProgram next(options_);
  master_.wait_for_phase("1.7", "lost");
}

TEST_F(AgentProcess, SigtermEndsWhatItHoldsAndTellsTheMaster) {
  AgentProgram program(options_);
  run_ranks("echo pid=$$; exec sleep 1000");
  const int pid = printed("pid=");
  EXPECT_EQ(program.end(SIGTERM), 0);
  EXPECT_TRUE(master_.wait_for_leaving());
  EXPECT_TRUE(ends_soon(pid));
}

TEST_F(AgentProcess, ADeadShimIsReportedLostAfterItsRemainsAreKilled) {
  const RunningAgent agent(options_);
  run_ranks("setsid sleep 1000 & echo daemon=$!; echo shim=$PPID; wait");
  const int daemon = printed("daemon=");
  const int shim = printed("shim=");
  ASSERT_GT(shim, 1);
  ::kill(shim, SIGKILL);
  master_.wait_for_phase("1.7", "lost");
  EXPECT_TRUE(master_.status("1.7").infrastructure());
  EXPECT_TRUE(ends_soon(daemon));
}

TEST_F(AgentProcess, ARefusedTokenIsNamedWithTheWayOut) {
  master_.refuse_tokens();
  RunningAgent agent(options_);
  EXPECT_EQ(agent.wait().text(),
            cat("the master at ", master_.address(), " refuses the token of ", folder_ / "token",
                ": the token is not known (copy agent.token from the master's data folder)"));
}

TEST_F(AgentProcess, TwoOnOneFolderAreRefused) {
  const RunningAgent agent(options_);
  const auto second = Agent::open(options_);
  EXPECT_EQ(second.status().text(), cat("another dt-agent runs on ", options_.data_dir,
                                        " (give each agent its own --dir)"));
}

TEST(AgentOptionsCheck, TokensDoNotTravelInTheOpen) {
  const auto opened = Agent::open({.master = "10.1.2.3:8081"});
  EXPECT_EQ(opened.status().text(),
            "the way to 10.1.2.3:8081 is not secured: the agent's token would be readable on it "
            "(give the master's certificate with --tls-ca FILE, or --insecure)");
}

TEST(AgentOptionsCheck, AMissingTokenTellsWhereItIs) {
  const auto opened = Agent::open({.master = "127.0.0.1:1", .token_file = "/nowhere/token"});
  EXPECT_EQ(opened.status().text(),
            "no token for the master: cannot open /nowhere/token: No such file or directory "
            "(the master leaves one in its data folder: agent.token)");
}

}  // namespace
}  // namespace dt::agent
