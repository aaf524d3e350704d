// A run that was interrupted ends with the very parameters of one that was not.
#include <gtest/gtest.h>

#include <fstream>

#include "base/cat.h"
#include "fake_shim.h"
#include "formats/json.h"
#include "ranks.h"
#include "trial/rank/manifest.h"

namespace dt::trial {
namespace {

const std::vector<std::string> recipe = {"--optimizer", "adamw", "--dropout", "0.2"};

std::vector<std::string> with(std::vector<std::string> more) {
  more.insert(more.begin(), recipe.begin(), recipe.end());
  return more;
}

std::string final_line(const std::vector<RankResult>& results) {
  const auto lines = lines_of(results[0].out, "final");
  EXPECT_EQ(lines.size(), 1u) << results[0].err;
  return lines.empty() ? "" : lines[0];
}

std::string undisturbed(int size, int accumulate) {
  return final_line(run_ranks({size, with({"--accumulate", cat(accumulate)}), {}}));
}

// The checkpoint of this step.
std::string checkpoint_of(const TempFolder& folder, std::int64_t step) {
  for (const auto& name : folder.entries()) {
    const auto manifest = read_manifest(folder.path() + "/" + name);
    if (manifest.ok() && manifest->step == step) return folder.path() + "/" + name;
  }
  ADD_FAILURE() << "no checkpoint of step " << step;
  return "";
}

TEST(Resume, AfterAKillInMidEpochGivesTheSameParameters) {
  const TempFolder folder;
  const auto killed = run_ranks({2,
                                 with({"--checkpoint-every", "4", "--checkpoint-dir", folder.path(),
                                       "--die_at", "11", "--bad_rank", "1"}),
                                 {}});
  EXPECT_EQ(killed[1].code, 137);
  EXPECT_EQ(folder.entries().size(), 2u);  // steps 4 and 8
  const std::string resumed =
      final_line(run_ranks({2, with({"--resume", checkpoint_of(folder, 8)}), {}}));
  EXPECT_EQ(resumed, undisturbed(2, 1));
}

TEST(Resume, AtAnotherWorldSizeGoesOnWithTheNextSample) {
  const TempFolder folder;
  run_ranks({2, {"--steps", "9", "--dropout", "0.2", "--checkpoint-dir", folder.path()}, {}});
  const RankStart whole{1, {"--dropout", "0.2", "--accumulate", "2"}, {}};
  RankStart rest = whole;
  rest.arguments.insert(rest.arguments.end(), {"--resume", checkpoint_of(folder, 9)});
  const auto resumed = run_ranks(rest);
  EXPECT_EQ(lines_of(resumed[0].out, "training").size(), 11u);
  EXPECT_EQ(final_line(resumed), final_line(run_ranks(whole)));
}

TEST(Resume, KeepsTheTrialsOwnState) {
  const TempFolder folder;
  run_ranks({1, {"--steps", "6", "--checkpoint-dir", folder.path()}, {}});
  const auto resumed = run_ranks({1, {"--resume", checkpoint_of(folder, 6)}, {}});
  EXPECT_EQ(lines_of(resumed[0].out, "restored").at(0), "restored after 6 batches");
}

TEST(Resume, OfAFinishedRunTrainsNothingAndSaysTheSame) {
  const TempFolder folder;
  const auto first = run_ranks({1, with({"--checkpoint-dir", folder.path()}), {}});
  const auto again = run_ranks({1, with({"--resume", checkpoint_of(folder, 20)}), {}});
  EXPECT_TRUE(lines_of(again[0].out, "training").empty());
  EXPECT_EQ(final_line(again), final_line(first));
}

// Preempted at the 7th step by the shim: every rank exits 75, and one checkpoint of the step on
// which they agreed is there.
TEST(Resume, AfterAPreemptionGivesTheSameParameters) {
  const TempFolder folder;
  const TempFolder checkpoints;
  FakeShim shim(folder.path() + "/socket", [](int rank, const Value& message) {
    const bool now =
        rank == 1 && message["type"] == Value("metrics") && message["step"] == Value(7);
    return now ? std::vector<std::string>{R"({"type":"preempt","deadline_ms":60000})"}
               : std::vector<std::string>{};
  });
  auto variables = shim.variables();
  variables["DT_CHECKPOINT_DIR"] = checkpoints.path();
  const auto results = run_ranks({2, with({"--steps", "2000"}), variables});
  EXPECT_EQ(results[0].code, 75) << results[0].err;
  EXPECT_EQ(results[1].code, 75) << results[1].err;
  const auto announced = shim.of(0, "checkpoint");
  ASSERT_EQ(announced.size(), 1u);
  const std::int64_t step = announced[0].message["step"].as_int();
  EXPECT_GE(step, 7);
  EXPECT_EQ(shim.of(1, "metrics").back().message["step"].as_int(), step);
  EXPECT_TRUE(shim.of(1, "checkpoint").empty());
  EXPECT_TRUE(shim.of(1, "exit").empty());

  const std::string steps = cat(step + 13);
  const std::string folder_name = checkpoints.path() + "/" + announced[0].message["id"].as_string();
  const auto resumed =
      run_ranks({2, with({"--steps", steps}), {{"DT_LATEST_CHECKPOINT", folder_name}}});
  EXPECT_EQ(lines_of(resumed[0].out, "training").size(), 13u);
  EXPECT_EQ(final_line(resumed), final_line(run_ranks({2, with({"--steps", steps}), {}})));
}

TEST(Resume, TakesAnEmptyFolderAsAFreshStart) {
  const TempFolder folder;
  const auto results = run_ranks({1, with({}), {{"DT_LATEST_CHECKPOINT", folder.path()}}});
  EXPECT_EQ(lines_of(results[0].out, "training").size(), 20u);
}

TEST(Resume, RefusesAFileThatIsNotWhatTheManifestNames) {
  const TempFolder folder;
  run_ranks({1, {"--steps", "2", "--checkpoint-dir", folder.path()}, {}});
  const std::string checkpoint = checkpoint_of(folder, 2);
  {
    std::fstream file(checkpoint + "/model.safetensors", std::ios::in | std::ios::out);
    file.seekp(-1, std::ios::end);
    file.put('?');
  }
  const auto results = run_ranks({1, {"--resume", checkpoint}, {}});
  EXPECT_EQ(results[0].code, 1);
  EXPECT_NE(results[0].err.find("/model.safetensors has "), std::string::npos) << results[0].err;
  EXPECT_NE(results[0].err.find("not the contents that its manifest names"), std::string::npos);
}

TEST(Resume, RefusesAMissingFolderAndAnotherOptimizer) {
  const TempFolder folder;
  const auto missing = run_ranks({1, {"--resume", folder.path() + "/none"}, {}});
  EXPECT_EQ(missing[0].code, 1);
  EXPECT_NE(missing[0].err.find("no checkpoint of this program in"), std::string::npos);

  run_ranks({1, {"--steps", "2", "--checkpoint-dir", folder.path()}, {}});
  const auto other =
      run_ranks({1, {"--resume", checkpoint_of(folder, 2), "--optimizer", "adamw"}, {}});
  EXPECT_EQ(other[0].code, 1);
  EXPECT_NE(other[0].err.find("holds the state of optimizer \"SGD\", but the trial uses AdamW"),
            std::string::npos)
      << other[0].err;
}

}  // namespace
}  // namespace dt::trial
