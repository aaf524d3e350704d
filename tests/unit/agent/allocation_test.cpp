#include "agent/allocation.h"

#include <gtest/gtest.h>

#include "agent/files.h"
#include "formats/json.h"
#include "tests/unit/agent/temporary_folder.h"

namespace dt::agent {
namespace {

NodeFacts node() {
  return {.master = "127.0.0.1:8081", .cluster_id = "c", .agent = AgentId{"a"}, .prefix = "/opt"};
}

v1::AssignmentMessage assignment(const std::string& extra_keys = "") {
  v1::AssignmentMessage message;
  message.set_experiment_id(1);
  message.set_trial_id(3);
  message.set_attempt(2);
  message.set_node_rank(1);
  message.set_nodes(2);
  message.set_first_rank(2);
  message.set_size(4);
  message.set_rank_token("secret");
  message.set_hparams_json(R"({"lr":0.5})");
  message.add_slot_ids("cpu0");
  message.add_slot_ids("cpu1");
  message.set_config_json(cat(R"({"name":"t","entrypoint":"python3 train.py",)", extra_keys,
                              R"("searcher":{"name":"single","metric":"loss"}})"));
  return message;
}

Result<Allocation> make(const v1::AssignmentMessage& message,
                        const std::optional<User>& user = std::nullopt) {
  return make_allocation({1, 7}, "/data/allocations/1.7", "/data/contexts", user, message);
}

Value spec_of(const v1::AssignmentMessage& message,
              const std::optional<User>& user = std::nullopt) {
  return shim_spec(make(message, user).value(), node(), "127.0.0.1", "/data", "/marker");
}

TEST(Allocation, ItsSpecTellsTheShimAllItNeeds) {
  EXPECT_EQ(to_json(spec_of(assignment())),
            R"({"address":"127.0.0.1","allocation":"1.7","attempt":2,"bind_port":false,)"
            R"("checkpoint_dir":"/data/allocations/1.7/checkpoints",)"
            R"("cwd":"/data/allocations/1.7/work","experiment":1,"kill_grace_ms":10000,)"
            R"("node_rank":1,"ranks":[2,3],"socket_dir":"/data","token":"secret","trial":3})");
}

TEST(Allocation, ThePortIsBoundWhereRankZeroIs) {
  v1::AssignmentMessage first = assignment();
  first.set_node_rank(0);
  EXPECT_EQ(spec_of(first)["bind_port"], Value(true));
}

TEST(Allocation, RunsAsAnotherUserWhenTold) {
  const Value spec = spec_of(assignment(), User{.uid = 99, .gid = 98, .groups = {}, .name = "n"});
  EXPECT_EQ(spec["uid"], Value(99));
  EXPECT_EQ(spec["gid"], Value(98));
}

TEST(Allocation, PreparesInItsContextByTheShell) {
  v1::AssignmentMessage with_context = assignment(R"("prepare":"make -j2",)");
  with_context.set_context_hash("abc");
  const Value spec = spec_of(with_context);
  EXPECT_EQ(spec["cwd"], Value("/data/contexts/abc"));
  EXPECT_EQ(to_json(spec["prepare"]["argv"]), R"(["/bin/sh","-c","exec make -j2"])");
  EXPECT_EQ(spec["prepare"]["marker"], Value("/marker"));
  EXPECT_EQ(spec["prepare"]["env"]["DT_ALLOCATION_ID"], Value("1.7"));
}

TEST(Allocation, ItsStartHoldsTheRanksOfThisNodeOnly) {
  const core::RankTable table{
      .master_address = "h",
      .master_port = 1,
      .ranks = {{0, 0, 0, "h"}, {1, 0, 1, "h"}, {2, 1, 0, "i"}, {3, 1, 1, "i"}}};
  const Value order = start_order(make(assignment()).value(), node(), table);
  EXPECT_EQ(order["op"], Value("start"));
  ASSERT_EQ(order["ranks"].as_array().size(), 2u);
  const Value& last = order["ranks"].as_array()[1];
  EXPECT_EQ(last["rank"], Value(3));
  EXPECT_EQ(last["local_rank"], Value(1));
  EXPECT_EQ(to_json(last["argv"]), R"(["/bin/sh","-c","exec python3 train.py"])");
  EXPECT_EQ(last["env"]["DT_RANK"], Value("3"));
  EXPECT_TRUE(last["env"]["DT_SIZE"].is_null()) << "what ranks share is said once";
  EXPECT_EQ(order["env"]["DT_SIZE"], Value("4"));
  EXPECT_FALSE(order["environment"]["variables"].as_array().empty());
}

TEST(Allocation, AListOfWordsIsRunWithoutAShell) {
  v1::AssignmentMessage message = assignment();
  message.set_config_json(
      R"({"name":"t","entrypoint":["./train","-x"],"searcher":{"name":"single","metric":"loss"}})");
  const core::RankTable table{.ranks = {{2, 1, 0, "i"}}};
  const Value order = start_order(make(message).value(), node(), table);
  EXPECT_EQ(to_json(order["ranks"].as_array()[0]["argv"]), R"(["./train","-x"])");
}

TEST(Allocation, OnlyAPlainCommandTakesTheShellsPlace) {
  const auto command_of = [](const std::string& entrypoint) {
    v1::AssignmentMessage message = assignment();
    Value config = parse_json(message.config_json()).value();
    config.set("entrypoint", entrypoint);
    message.set_config_json(to_json(config));
    const Value order = start_order(make(message).value(), node(), {.ranks = {{2, 1, 0, "i"}}});
    return order["ranks"].as_array()[0]["argv"].as_array()[2].as_string();
  };
  EXPECT_EQ(command_of("./build/train --lr=0.1 a/b"), "exec ./build/train --lr=0.1 a/b");
  for (const char* entrypoint : {"cd sub && ./train", "./train > log", "LR=1 ./train",
                                 "./train $LR", "cd sub", "./a; ./b", "./train 'a b'"}) {
    EXPECT_EQ(command_of(entrypoint), entrypoint);
  }
}

TEST(Allocation, ResumesFromTheFolderItsCheckpointIsPutInto) {
  v1::AssignmentMessage message = assignment();
  message.mutable_checkpoint()->set_id("c9");
  EXPECT_EQ(make(message)->facts.latest_checkpoint, "/data/allocations/1.7/checkpoint");
  EXPECT_EQ(make(assignment())->facts.latest_checkpoint, "");
}

TEST(Allocation, AConfigurationTooLargeForTheEnvironmentIsRefused) {
  v1::AssignmentMessage message =
      assignment(cat(R"("description":")", std::string(130'000, 'x'), R"(",)"));
  EXPECT_EQ(make(message).status().code(), Code::invalid_argument);
}

TEST(Allocation, ItsAssignmentSurvivesTheAgent) {
  const TemporaryFolder folder;
  v1::AssignmentMessage message = assignment();
  message.mutable_checkpoint()->set_id("c9");
  ASSERT_TRUE(save_assignment(folder.path(), message).ok());
  EXPECT_EQ(load_assignment(folder.path())->SerializeAsString(), message.SerializeAsString());
}

TEST(Allocation, ItsMarksSurviveTheAgent) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_marks(folder.path()), core::Marks());
  save_marks(folder.path(), {{-1, 4}, {0, 17}});
  EXPECT_EQ(load_marks(folder.path()), (core::Marks{{-1, 4}, {0, 17}}));
}

TEST(Allocation, ItsUploadedPartsSurviveTheAgent) {
  const TemporaryFolder folder;
  EXPECT_EQ(load_stored(folder.path()), std::set<PartId>());
  note_stored(folder.path(), {CheckpointId{"c 1"}, 0});
  note_stored(folder.path(), {CheckpointId{"c2"}, 13});
  EXPECT_EQ(load_stored(folder.path()),
            (std::set<PartId>{{CheckpointId{"c 1"}, 0}, {CheckpointId{"c2"}, 13}}));
}

}  // namespace
}  // namespace dt::agent
