#include "trial/rank/options.h"

#include <gtest/gtest.h>

#include "formats/json.h"

namespace dt::trial {
namespace {

using Words = std::vector<std::string>;

RankEnvironment environment_of(const std::map<std::string, std::string>& variables) {
  const auto environment =
      read_environment([&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      });
  EXPECT_TRUE(environment.ok()) << environment.status().text();
  return environment.value_or(RankEnvironment());
}

RunOptions options_of(const Words& arguments,
                      const std::map<std::string, std::string>& variables = {}) {
  const auto options = resolve_options(arguments, environment_of(variables), {});
  EXPECT_TRUE(options.ok()) << options.status().text();
  return options.value_or(RunOptions());
}

std::string error_of(const Words& arguments,
                     const std::map<std::string, std::string>& variables = {}) {
  const auto options = resolve_options(arguments, environment_of(variables), {});
  return options.ok() ? "no error" : options.status().text();
}

TEST(Options, TheProgramsDefaultsHoldWhenNobodySpeaks) {
  const RunOptions options = options_of({});
  EXPECT_EQ(options.steps, 1000);
  EXPECT_EQ(options.batch, 64);
  EXPECT_EQ(options.report_period, 100);
  EXPECT_TRUE(options.checkpoint_dir.empty());
}

TEST(Options, FlagsBeatHyperparametersAndThoseBeatTheConfiguration) {
  const std::map<std::string, std::string> variables = {
      {"DT_CONFIG", R"({"searcher":{"time_metric":"batches","max_time":800},"scheduling_unit":5})"},
      {"DT_HPARAMS", R"({"global_batch_size":32})"},
      {"DT_SEED", "9"}};
  EXPECT_EQ(options_of({}, variables).steps, 800);
  EXPECT_EQ(options_of({}, variables).batch, 32);
  EXPECT_EQ(options_of({}, variables).seed, 9);
  EXPECT_EQ(options_of({}, variables).report_period, 5);
  EXPECT_EQ(options_of({"--steps", "7", "--batch=8", "--seed", "1"}, variables).steps, 7);
  EXPECT_EQ(options_of({"--steps", "7", "--batch=8", "--seed", "1"}, variables).batch, 8);
  EXPECT_EQ(options_of({"--steps", "7", "--batch=8", "--seed", "1"}, variables).seed, 1);
}

TEST(Options, OtherFlagsSetHyperparameters) {
  const RunOptions options =
      options_of({"--lr", "1e-3", "--net.width", "12", "--data", "/a b", "--on=true"},
                 {{"DT_HPARAMS", R"({"lr":0.5,"net":{"depth":2}})"}});
  EXPECT_EQ(to_json(options.hparams.values()),
            R"({"data":"/a b","lr":0.001,"net":{"depth":2,"width":12},"on":true})");
  EXPECT_EQ(options.hparam_flags, (Words{"data", "lr", "net.width", "on"}));
}

TEST(Options, PeriodsKnowAllUnits) {
  EXPECT_EQ((Period{30, 0, 0}).steps(64, 10), 30);
  EXPECT_EQ((Period{0, 640, 0}).steps(64, 10), 10);
  EXPECT_EQ((Period{0, 1, 0}).steps(64, 10), 1);
  EXPECT_EQ((Period{0, 0, 2}).steps(64, 10), 20);
  EXPECT_EQ((Period{}).steps(64, 10), 0);
  const auto options = options_of({}, {{"DT_CONFIG", R"({"min_validation_period":{"epochs":1}})"}});
  EXPECT_EQ(options.validation_period, (Period{0, 0, 1}));
}

TEST(Options, MistakesAreNamed) {
  EXPECT_EQ(error_of({"--steps", "many"}),
            R"(--steps is "many", but must be an integer of at least 1)");
  EXPECT_EQ(error_of({"--batch", "0"}), "--batch is 0, but must be an integer of at least 1");
  EXPECT_EQ(error_of({"--steps"}), "flag --steps needs a value");
  EXPECT_EQ(error_of({"steps"}),
            "argument 'steps' is not a flag (flags are --name VALUE or --name=VALUE; --help lists "
            "them)");
  EXPECT_EQ(error_of({"--on-nonfinite", "stop"}),
            "--on-nonfinite is 'stop', but must be continue or fail");
  EXPECT_EQ(error_of({}, {{"DT_HPARAMS", R"({"steps":0.5})"}}),
            "steps of hyperparameters or configuration is 0.5, but must be an integer of at least "
            "1");
}

TEST(Environment, MistakesAreNamed) {
  const auto error = [](std::map<std::string, std::string> variables) {
    return read_environment([variables](const std::string& name) -> std::optional<std::string> {
             const auto found = variables.find(name);
             return found == variables.end() ? std::nullopt : std::optional(found->second);
           })
        .status()
        .text();
  };
  EXPECT_EQ(error({{"DT_RANK", "two"}}), "environment variable DT_RANK='two' is not an integer");
  EXPECT_EQ(error({{"DT_RANK", "2"}, {"DT_SIZE", "2"}}), "DT_RANK=2 does not lie below DT_SIZE=2");
  EXPECT_EQ(error({{"DT_RANK", "0"}, {"DT_SIZE", "2"}}),
            "DT_SIZE=2 needs MASTER_PORT (start the ranks with dt-launch --nproc N -- COMMAND)");
  EXPECT_EQ(error({{"DT_HPARAMS", "[1]"}}),
            "environment variable DT_HPARAMS is a list, not a JSON map");
}

TEST(Hparams, WholeNumbersAreIntegersAndNothingElseIs) {
  const Hparams hparams(*parse_json(R"({"a":32.0,"b":0.5,"c":"x","d":true,"e":"NaN"})"));
  EXPECT_EQ(*hparams.integer("a"), 32);
  EXPECT_EQ(hparams.integer("b").status().message(),
            "hyperparameter 'b' is 0.5, a number, but the trial needs an integer");
  EXPECT_EQ(*hparams.text("c"), "x");
  EXPECT_EQ(*hparams.flag("d"), true);
  EXPECT_NE(*hparams.number("e"), *hparams.number("e"));
  EXPECT_EQ(hparams.unread({"a", "z"}), Words{"z"});
}

}  // namespace
}  // namespace dt::trial
