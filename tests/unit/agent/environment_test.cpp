#include "agent/environment.h"

#include <gtest/gtest.h>

#include "base/cat.h"

namespace dt::agent {
namespace {

NodeFacts node() {
  return {.master = "127.0.0.1:8081",
          .cluster_id = "c1",
          .agent = AgentId{"a1"},
          .prefix = "/opt/dovetail",
          .python_dir = "/opt/dovetail/python",
          .network_interface = "lo",
          .threads_per_slot = 3,
          .inherited = {{"PATH", "/bin"}}};
}

AllocationFacts facts() {
  AllocationFacts made{.allocation = {1, 7}, .token = "secret"};
  made.assignment = {.experiment = {1},
                     .trial = {3},
                     .attempt = 2,
                     .restarts = 1,
                     .trial_seed = 9,
                     .hparams = Value::Object{{"lr", 0.5}},
                     .config = Value::Object{},
                     .node_rank = 1,
                     .nodes = 2,
                     .first_rank = 2,
                     .size = 4,
                     .slot_ids = {"cpu0", "cpu1"}};
  made.checkpoint_dir = "/data/checkpoints";
  return made;
}

core::RankTable table() {
  return {.master_address = "10.0.0.1",
          .master_port = 4000,
          .ranks = {{0, 0, 0, "10.0.0.1"},
                    {1, 0, 1, "10.0.0.1"},
                    {2, 1, 0, "10.0.0.2"},
                    {3, 1, 1, "10.0.0.2"}}};
}

Environment rank_3(const NodeFacts& from = node(), const AllocationFacts& what = facts()) {
  return rank_environment(from, what, table(), table().ranks[3]);
}

std::string value(const Environment& environment, const std::string& name) {
  const auto found = environment.entries().find(name);
  return found == environment.entries().end() ? "(unset)" : found->second.value;
}

std::string reason(const Environment& environment, const std::string& name) {
  return environment.entries().at(name).reason;
}

TEST(RankEnvironment, HoldsTheWholeContract) {
  const Environment environment = rank_3();
  std::string text;
  for (const auto& [name, entry] : environment.entries()) text += cat(name, "=", entry.value, "\n");
  EXPECT_EQ(text,
            "CMAKE_PREFIX_PATH=/opt/dovetail\n"
            "CUDA_VISIBLE_DEVICES=\n"
            "DT_AGENT_ID=a1\n"
            "DT_ALLOCATION_ID=1.7\n"
            "DT_ATTEMPT=2\n"
            "DT_CHECKPOINT_DIR=/data/checkpoints\n"
            "DT_CLUSTER_ID=c1\n"
            "DT_CONFIG={}\n"
            "DT_EXPERIMENT_ID=1\n"
            "DT_HPARAMS={\"lr\":0.5}\n"
            "DT_LATEST_CHECKPOINT=\n"
            "DT_LOCAL_RANK=1\n"
            "DT_LOCAL_SIZE=2\n"
            "DT_MASTER=127.0.0.1:8081\n"
            "DT_NODES=2\n"
            "DT_NODE_RANK=1\n"
            "DT_RANK=3\n"
            "DT_RESTARTS=1\n"
            "DT_SEED=9\n"
            "DT_SIZE=4\n"
            "DT_SLOT_IDS=cpu0,cpu1\n"
            "DT_TASK_ID=trial-3\n"
            "DT_TOKEN=secret\n"
            "DT_TRIAL_ID=3\n"
            "GLOO_SOCKET_IFNAME=lo\n"
            "GROUP_RANK=1\n"
            "GROUP_WORLD_SIZE=2\n"
            "LOCAL_RANK=1\n"
            "LOCAL_WORLD_SIZE=2\n"
            "MASTER_ADDR=10.0.0.1\n"
            "MASTER_PORT=4000\n"
            "MKL_NUM_THREADS=3\n"
            "NCCL_SOCKET_IFNAME=lo\n"
            "NODE_RANK=1\n"
            "OMP_NUM_THREADS=3\n"
            "OPENBLAS_NUM_THREADS=3\n"
            "PATH=/bin\n"
            "PYTHONPATH=/opt/dovetail/python\n"
            "PYTHONUNBUFFERED=1\n"
            "RANK=3\n"
            "ROLE_NAME=default\n"
            "ROLE_RANK=3\n"
            "ROLE_WORLD_SIZE=4\n"
            "TORCHELASTIC_MAX_RESTARTS=5\n"
            "TORCHELASTIC_RESTART_COUNT=1\n"
            "TORCHELASTIC_RUN_ID=1.7\n"
            "TORCHELASTIC_USE_AGENT_STORE=False\n"
            "TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n"
            "WORLD_SIZE=4\n");
}

TEST(RankEnvironment, ScrubsWhatASchedulerLeft) {
  NodeFacts poisoned = node();
  for (const char* name : {"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "RANK", "TF_CONFIG",
                           "TORCHELASTIC_ERROR_FILE", "DT_SOCKET"}) {
    poisoned.inherited[name] = "7";
  }
  const Environment environment = rank_3(poisoned);
  poisoned.inherited.erase("PATH");
  for (const auto& [name, poison] : poisoned.inherited) {
    EXPECT_NE(value(environment, name), "7") << name;
  }
  EXPECT_EQ(value(environment, "SLURM_PROCID"), "(unset)");
}

TEST(RankEnvironment, TheUsersValueWinsOverAllButTheProtocol) {
  AllocationFacts users = facts();
  users.config.environment_variables = {"OMP_NUM_THREADS=8", "MASTER_PORT=1", "DT_RANK=0",
                                        "MINE=a=b"};
  const Environment environment = rank_3(node(), users);
  EXPECT_EQ(value(environment, "OMP_NUM_THREADS"), "8");
  EXPECT_EQ(reason(environment, "OMP_NUM_THREADS"), "environment.environment_variables");
  EXPECT_EQ(value(environment, "MASTER_PORT"), "1");
  EXPECT_EQ(value(environment, "DT_RANK"), "3");
  EXPECT_EQ(value(environment, "MINE"), "a=b");
}

TEST(RankEnvironment, SearchPathsKeepWhatWasThere) {
  NodeFacts with_paths = node();
  with_paths.inherited["PYTHONPATH"] = "/home/lib";
  EXPECT_EQ(value(rank_3(with_paths), "PYTHONPATH"), "/opt/dovetail/python:/home/lib");
}

TEST(RankEnvironment, FamilyNoneGetsNothingOfTorch) {
  AllocationFacts plain = facts();
  plain.config.family = "none";
  const Environment environment = rank_3(node(), plain);
  EXPECT_EQ(value(environment, "RANK"), "(unset)");
  EXPECT_EQ(value(environment, "MASTER_PORT"), "4000");
}

TEST(RankEnvironment, AnotherUserHasAHomeOfItsOwn) {
  NodeFacts as_root = node();
  as_root.inherited = {{"HOME", "/root"}, {"USER", "root"}, {"TMPDIR", "/root/tmp"}};
  EXPECT_EQ(value(rank_3(as_root), "HOME"), "/root");
  as_root.user = "nobody";
  as_root.home = "/data/home";
  EXPECT_EQ(value(rank_3(as_root), "HOME"), "/data/home");
  EXPECT_EQ(value(rank_3(as_root), "USER"), "nobody");
  EXPECT_EQ(value(rank_3(as_root), "TMPDIR"), "(unset)");
}

TEST(PrepareEnvironment, KnowsTheAllocationButNoRank) {
  const Environment environment = prepare_environment(node(), facts());
  EXPECT_EQ(value(environment, "DT_ALLOCATION_ID"), "1.7");
  EXPECT_EQ(value(environment, "CMAKE_PREFIX_PATH"), "/opt/dovetail");
  EXPECT_EQ(value(environment, "DT_RANK"), "(unset)");
}

TEST(EnvironmentRecord, NamesTheRankWhereRanksDifferAndHidesSecrets) {
  Environment zero;
  zero.set("A", "1", "why");
  zero.set("RANK", "0", "why");
  zero.set("DT_TOKEN", "t", "why");
  Environment one;
  one.set("A", "1", "why");
  one.set("RANK", "1", "why");
  one.set("DT_TOKEN", "t", "why");
  one.set("my_api_key", "k", "why");
  std::string text;
  const Value record = environment_record({{0, zero}, {1, one}});
  for (const Value& variable : record["variables"].as_array()) {
    text += cat(variable["name"].as_string(), "=", variable["value"].as_string());
    if (variable["rank"].is_int()) text += cat("@", variable["rank"].as_int());
    text += " ";
  }
  EXPECT_EQ(text, "A=1 DT_TOKEN=«hidden» RANK=0@0 RANK=1@1 my_api_key=«hidden»@1 ");
}

TEST(RankEnvironment, SeesTheGpusOfItsAllocationAndOneInstanceOfAPartitionedOne) {
  NodeFacts gpu_node = node();
  gpu_node.gpus = {"GPU-a", "GPU-b", "MIG-1", "MIG-2"};
  AllocationFacts allocation = facts();
  const core::RankPlace second{.rank = 3, .node_rank = 1, .local_rank = 1};
  const auto seen = [&] {
    return rank_environment(gpu_node, allocation, table(), second)
        .entries()
        .at("CUDA_VISIBLE_DEVICES");
  };
  allocation.assignment.slot_ids = {"GPU-a", "GPU-b"};
  EXPECT_EQ(seen(), (Environment::Entry{"GPU-a,GPU-b", "the GPUs of this allocation"}));
  allocation.assignment.slot_ids = {"MIG-1", "MIG-2"};
  EXPECT_EQ(seen(), (Environment::Entry{"MIG-2", "the MIG instance of this rank"}));
  allocation.assignment.slot_ids = {};
  EXPECT_EQ(seen(), (Environment::Entry{"", "CPU slots see no GPU"}));
}

}  // namespace
}  // namespace dt::agent
