#include "core/model/config.h"

#include <gtest/gtest.h>

#include "formats/json.h"
#include "formats/yaml.h"

namespace dt::core {
namespace {

const ConfigDefaults site{.seed = 17, .name = "Experiment (brave-otter)", .priority = 42};

// A valid configuration with some lines more, or in place of its own.
const std::string minimal = "entrypoint: ./train\nsearcher: {name: single, metric: loss}\n";

YamlDocument document_of(const std::string& yaml) {
  const Result<YamlDocument> document = parse_yaml(yaml);
  VERIFY(document.ok(), document.status().text());
  return *document;
}

// "line: message (hint)" for every error.
std::string errors_of(const std::string& yaml) {
  const YamlDocument document = document_of(yaml);
  std::string text;
  for (const Status& error : check_config(document.value)) {
    EXPECT_EQ(error.code(), Code::invalid_argument);
    text += cat(document.line_of(error.detail().path), ": ", error.text(), "\n");
  }
  return text;
}

ParsedConfig parsed(const std::string& yaml) {
  const Result<ParsedConfig> config = parse_config(document_of(yaml).value, site);
  VERIFY(config.ok(), config.status().text());
  return *config;
}

std::string warnings_of(const std::string& yaml) {
  std::string text;
  for (const std::string& warning : parsed(yaml).warnings) text += warning + "\n";
  return text;
}

TEST(Config, FillsEveryDefault) {
  const ParsedConfig result = parsed(minimal);
  ExperimentConfig expected;
  expected.name = "Experiment (brave-otter)";
  expected.entrypoint = {"./train"};
  expected.searcher = {.metric = "loss", .smaller_is_better = true, .method = SingleSearch{}};
  expected.log_policies = log_policies_of(with_default_policies({}));
  expected.seed = 17;
  EXPECT_EQ(result.config, expected);
  EXPECT_TRUE(result.warnings.empty());
}

TEST(Config, ResolvedHoldsEveryDefault) {
  EXPECT_EQ(to_json(parsed("name: '@'\n" + minimal).resolved),
            R"({"bind_mounts":[],"checkpoint_policy":"best",)"
            R"("checkpoint_storage":{"save_experiment_best":0,"save_trial_best":1,)"
            R"("save_trial_latest":1,"type":"master"},"data":{},"debug":false,"description":null,)"
            R"("distributed":{"backend":"auto","strategy":"auto"},"entrypoint":"./train",)"
            R"("environment":{"add_capabilities":[],"drop_capabilities":[],)"
            R"("environment_variables":{"cpu":[],"cuda":[],"rocm":[]},"family":"auto",)"
            R"("force_pull_image":false,"proxy_ports":[]},"hyperparameters":{},)"
            R"("integrations":null,"labels":[],"log_policies":[{"name":"CUDA OOM",)"
            R"("pattern":".*CUDA out of memory.*"},{"name":"ECC Error",)"
            R"("pattern":".*uncorrectable ECC error encountered.*"}],"max_restarts":5,)"
            R"("min_checkpoint_period":{"batches":0},"min_validation_period":{"batches":0},)"
            R"("name":"@","optimizations":{"aggregation_frequency":1,)"
            R"("auto_tune_tensor_fusion":false,"average_aggregated_gradients":true,)"
            R"("average_training_metrics":true,"grad_updates_size_file":null,)"
            R"("gradient_compression":false,"mixed_precision":"O0",)"
            R"("tensor_fusion_cycle_time":1,"tensor_fusion_threshold":64},"pbs":{},)"
            R"("perform_initial_validation":false,"preemption_timeout":3600,"prepare":"",)"
            R"("profiling":{"begin_on_batch":0,"enabled":false,"end_after_batch":null,)"
            R"("sync_timings":true},"project":"","records_per_epoch":0,)"
            R"("reproducibility":{"experiment_seed":17},"resources":{"devices":[],)"
            R"("gpu_models":[],"is_single_node":false,"max_slots":null,"native_parallel":false,"priority":42,)"
            R"("resource_pool":"default","shm_size":null,"slots_per_trial":1,"weight":1},)"
            R"("retention_policy":{"log_retention_days":null},"scheduling_unit":100,)"
            R"("searcher":{"metric":"loss","name":"single","smaller_is_better":true},)"
            R"("slurm":{},"workspace":""})");
}

const char* const every_key = R"(
name: fashion
description: a search
labels: [vision, vision, quick]
workspace: research
project: mnist
entrypoint: [./train, --steps, "100"]
prepare: cmake -B build
environment: {family: torch, environment_variables: [A=1=2, PASSED_ON]}
distributed: {strategy: ddp, backend: gloo}
hyperparameters:
  lr: {type: log, minval: -3, maxval: -1, count: 2}
  model: {layers: 3}
searcher:
  name: async_halving
  metric: accuracy
  smaller_is_better: false
  num_rungs: 3
  max_trials: 8
  max_time: 1e3
  divisor: 2.5
  time_metric: epochs
  max_concurrent_trials: 0
resources:
  slots_per_trial: 2
  max_slots: 4
  weight: 0.5
  priority: 7
  resource_pool: fast
  is_single_node: true
  gpu_models: [A100, H100]
log_policies: [{name: OOM, pattern: oom, action: exclude_node}]
checkpoint_storage: {type: shared_fs, host_path: /srv/, storage_path: a/./b, save_trial_best: 3}
reproducibility: {experiment_seed: 4294967295}
max_restarts: 0
preemption_timeout: 60
scheduling_unit: 1
)";

TEST(Config, ReadsEveryKeyThatHasAnEffect) {
  ExperimentConfig expected;
  expected.name = "fashion";
  expected.description = "a search";
  expected.labels = {"vision", "quick"};
  expected.workspace = "research";
  expected.project = "mnist";
  expected.entrypoint = {"./train", "--steps", "100"};
  expected.prepare = "cmake -B build";
  expected.family = "torch";
  expected.environment_variables = {"A=1=2", "PASSED_ON"};
  expected.strategy = "ddp";
  expected.backend = "gloo";
  expected.hyperparameters = {
      {"lr", {LogParameter{.base = 10, .minval = -3, .maxval = -1, .count = 2}}},
      {"model", {NestedParameter{{{"layers", {ConstParameter{Value(3)}}}}}}}};
  expected.searcher = {.metric = "accuracy",
                       .smaller_is_better = false,
                       .method = AsyncHalvingSearch{.num_rungs = 3,
                                                    .max_trials = 8,
                                                    .divisor = 2.5,
                                                    .max_concurrent_trials = 0,
                                                    .time_metric = "epochs",
                                                    .max_time = 1000}};
  expected.resources = {.slots_per_trial = 2,
                        .max_slots = 4,
                        .weight = 0.5,
                        .priority = 7,
                        .resource_pool = "fast",
                        .is_single_node = true,
                        .gpu_models = {"A100", "H100"}};
  expected.log_policies = log_policies_of(with_default_policies({}));
  expected.log_policies.insert(expected.log_policies.begin(),
                               {"OOM", "oom", LogPolicy::Action::exclude_node});
  expected.checkpoint_storage = {
      .kind = CheckpointStorageConfig::Kind::shared_fs, .path = "/srv/a/b", .save_trial_best = 3};
  expected.seed = 4294967295;
  expected.max_restarts = 0;
  expected.preemption_timeout_s = 60;
  expected.scheduling_unit = 1;
  EXPECT_EQ(parsed(every_key).config, expected);
}

TEST(Config, ResolvedIsAFixedPoint) {
  const ParsedConfig first = parsed(minimal + "hyperparameters: {a: {b: 1}, c: [1, 2]}\n");
  const Result<ParsedConfig> second = parse_config(first.resolved, {.seed = 99, .name = "other"});
  ASSERT_TRUE(second.ok()) << second.status().text();
  EXPECT_EQ(to_json(second->resolved), to_json(first.resolved));
  EXPECT_EQ(second->config, first.config);
}

TEST(Config, KeepsThePeriodsForTheHarness) {
  const ParsedConfig result = parsed(
      minimal + "min_validation_period: {batches: 20}\nmin_checkpoint_period: {epochs: 1}\n");
  EXPECT_EQ(to_json(result.resolved["min_validation_period"]), R"({"batches":20})");
  EXPECT_EQ(to_json(result.resolved["min_checkpoint_period"]), R"({"epochs":1})");
}

TEST(Config, KeepsTheLengthForTheHarness) {
  const auto length = [](const std::string& text) {
    return "entrypoint: a\nsearcher: {name: single, metric: m, max_length: " + text + "}";
  };
  EXPECT_EQ(to_json(parsed(length("{batches: 9}")).resolved["searcher"]["max_length"]),
            R"({"batches":9})");
  EXPECT_EQ(to_json(parsed(length("9")).resolved["searcher"]["max_length"]), "9");
  EXPECT_EQ(errors_of(length("{batches: 0}")),
            "2: searcher.max_length.batches: must be at least 1, got 0\n");
}

TEST(Config, NullMeansNotSet) {
  const ParsedConfig result = parsed(
      minimal + "description: null\nmax_restarts: null\nresources: null\ncheckpoint_storage: ~\n");
  EXPECT_EQ(result.config, parsed(minimal).config);
}

TEST(Config, AListOfOneWordIsNoShellText) {
  const auto entrypoint = [](const std::string& text) {
    return parsed("searcher: {name: single, metric: loss}\nentrypoint: " + text).config.entrypoint;
  };
  EXPECT_EQ(entrypoint("./my train"), std::vector<std::string>{"./my train"});
  EXPECT_EQ(entrypoint("[./train]"), std::vector<std::string>{"./train"});
  EXPECT_EQ(entrypoint("[./my train]"), std::vector<std::string>{"'./my train'"});
  EXPECT_EQ(entrypoint("[it's]"), std::vector<std::string>{"'it'\\''s'"});
}

TEST(Config, ReportsEveryErrorInTheOrderOfPaths) {
  EXPECT_EQ(errors_of("searcher:\n  name: random\n  max_trails: 8\nmax_restarts: -1\nnam: x\n"),
            "0: entrypoint: required but missing (add the command that trains, as in entrypoint: "
            "python3 train.py)\n"
            "4: max_restarts: must be between 0 and 1000000, got -1\n"
            "5: nam: unknown key, with value string \"x\" (did you mean \"name\"?)\n"
            "3: searcher.max_trails: unknown key, with value integer 8 (did you mean "
            "\"max_trials\"?)\n"
            "1: searcher.max_trials: required but missing (add the number of trials, as in "
            "max_trials: 16)\n"
            "1: searcher.metric: required but missing (name the validation metric to compare "
            "trials by, as in metric: validation_loss)\n");
}

TEST(Config, ParseReturnsTheFirstError) {
  const Result<ParsedConfig> config = parse_config(Value(Value::Object{}), site);
  EXPECT_EQ(config.status(), check_config(Value(Value::Object{})).front());
  EXPECT_EQ(config.status().detail(),
            (Detail{.subject = "entrypoint",
                    .value = "",
                    .hint = "add the command that trains, as in entrypoint: python3 train.py",
                    .path = "entrypoint",
                    .line = 0}));
}

TEST(Config, UnknownKeysNameTheNearestOrAll) {
  EXPECT_EQ(errors_of(minimal + "resources: {slot_per_trial: 2, colour: red}\n"),
            "3: resources.colour: unknown key, with value string \"red\" (known keys here: "
            "slots_per_trial, max_slots, weight, priority, resource_pool, is_single_node, "
            "gpu_models, native_parallel, shm_size, devices, slots)\n"
            "3: resources.slot_per_trial: unknown key, with value integer 2 (did you mean "
            "\"slots_per_trial\"?)\n");
}

TEST(Config, KeysOfAnotherSearcherSayWhose) {
  EXPECT_EQ(errors_of("entrypoint: a\nsearcher: {name: grid, metric: m, max_trials: 3}\n"),
            "2: searcher.max_trials: has no use with name: grid, got integer 3 (it is a key of "
            "name: adaptive_asha, async_halving, hyperband, random, tpe)\n");
}

TEST(Config, WrongTypesNameWhatWasExpectedAndWhatWasThere) {
  const std::pair<const char*, const char*> cases[] = {
      {"max_restarts: many", "max_restarts: expected an integer, got string \"many\""},
      {"max_restarts: 1.5", "max_restarts: expected an integer, got number 1.5"},
      {"max_restarts: true", "max_restarts: expected an integer, got bool true"},
      {"name: 3", "name: expected a string, got integer 3"},
      {"name: ' '", "name: must not be empty"},
      {"labels: a", "labels: expected a list, got string \"a\""},
      {"labels: [1]", "labels[0]: expected a string, got integer 1"},
      {"debug: yes", "debug: expected true or false, got string \"yes\""},
      {"resources: 2", "resources: expected a map, got integer 2"},
      {"resources: {weight: heavy}", "resources.weight: expected a number, got string \"heavy\""},
      {"resources: {weight: .inf}", "resources.weight: must be at least 0, got inf"},
      {"resources: {priority: 100}", "resources.priority: must be between 1 and 99, got 100"},
      {"resources: {slots_per_trial: -1}",
       "resources.slots_per_trial: must be between 0 and 65536, got -1"},
      {"resources: {slots_per_trial: 4, max_slots: 2}",
       "resources.max_slots: no trial could start: max_slots is 2 and slots_per_trial is 4 "
       "(raise "
       "max_slots or lower slots_per_trial)"},
      {"reproducibility: {experiment_seed: 4294967296}",
       "reproducibility.experiment_seed: must be between 0 and 4294967295, got 4294967296"},
      {"environment: {environment_variables: [1A=2]}",
       "environment.environment_variables[0]: \"1A\" is no name of an environment variable "
       "(write "
       "NAME=value)"},
      {"min_validation_period: {batches: 1, epochs: 2}",
       "min_validation_period: must have one attribute of batches, records and epochs"},
      {"hyperparameters: [1]", "hyperparameters: expected a map, got list of 1 item"},
      {"scheduling_unit: 0", "scheduling_unit: must be at least 1, got 0"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_EQ(errors_of(minimal + line), cat("3: ", message, "\n")) << line;
  }
}

TEST(Config, MustBeAMap) {
  EXPECT_EQ(errors_of("[1]"), "0: configuration: expected a map, got list of 1 item\n");
  EXPECT_EQ(errors_of(""), "0: configuration: expected a map, got null\n");
}

TEST(Config, EntrypointIsACommand) {
  const std::string searcher = "searcher: {name: single, metric: loss}\n";
  EXPECT_EQ(errors_of(searcher + "entrypoint: []"), "2: entrypoint: must not be empty\n");
  EXPECT_EQ(errors_of(searcher + "entrypoint: ''"), "2: entrypoint: must not be empty\n");
  EXPECT_EQ(errors_of(searcher + "entrypoint: {a: b}"),
            "2: entrypoint: expected a string or a list of strings, got map of 1 key\n");
  EXPECT_EQ(errors_of(searcher + "entrypoint: [a, 1]"),
            "2: entrypoint[1]: expected a string, got integer 1\n");
}

TEST(Config, SearchersOfThePast) {
  const auto error = [](const std::string& searcher) {
    return errors_of("entrypoint: a\nsearcher: " + searcher);
  };
  const std::string all =
      "use one of: adaptive_asha, async_halving, custom, grid, hyperband, pbt, random, single, tpe";
  const std::string choices = " (" + all + ")\n";
  EXPECT_EQ(error("{name: sync_halving}"),
            "2: searcher.name: \"sync_halving\" was ended by Determined" + choices);
  EXPECT_EQ(error("{name: randon}"),
            "2: searcher.name: unknown name \"randon\" (did you mean \"random\"?)\n");
  EXPECT_EQ(error("{metric: m}"), "2: searcher.name: required but missing (" + all + ")\n");
}

TEST(Config, AdaptiveAsha) {
  const SearcherConfig defaults =
      parsed(
          "entrypoint: a\nsearcher: {name: adaptive_asha, metric: m, max_trials: 9, max_time: 4}")
          .config.searcher;
  EXPECT_EQ(std::get<AdaptiveAshaSearch>(defaults.method),
            (AdaptiveAshaSearch{.max_trials = 9, .max_time = 4}));
  const SearcherConfig all =
      parsed(
          "entrypoint: a\nsearcher: {name: adaptive_asha, metric: m, max_trials: 9, max_time: 4, "
          "mode: aggressive, max_rungs: 3, bracket_rungs: [2, 1], divisor: 2, promote: true, "
          "time_metric: epochs, max_concurrent_trials: 0, sampler: tpe, target_metric: 0.1}")
          .config.searcher;
  EXPECT_EQ(std::get<AdaptiveAshaSearch>(all.method),
            (AdaptiveAshaSearch{.mode = AdaptiveAshaSearch::Mode::aggressive,
                                .max_rungs = 3,
                                .bracket_rungs = {2, 1},
                                .max_trials = 9,
                                .divisor = 2,
                                .max_concurrent_trials = 0,
                                .time_metric = "epochs",
                                .max_time = 4,
                                .promote = true}));
  EXPECT_EQ(all.sampler, SamplerKind::tpe);
  EXPECT_EQ(all.target_metric, 0.1);
  EXPECT_EQ(errors_of("entrypoint: a\nsearcher: {name: adaptive_asha, metric: m, max_trials: 9}\n"),
            "2: searcher.max_time: required but missing (add the time metric's value at which a "
            "trial is done, as in max_time: 1000)\n");
}

TEST(Config, TheWallTimeOfASearchAndWhatItBeginsWith) {
  const std::string tpe = "entrypoint: a\nsearcher: {name: tpe, metric: m, max_trials: 9, ";
  const SearcherConfig searcher =
      parsed(cat(tpe, "max_wall_time_s: 3600, warm_start: [3, 5],\n"
                      "           observations: [{hparams: {lr: 0.1}, metric: 0.25}]}"))
          .config.searcher;
  EXPECT_EQ(searcher.max_wall_time_s, 3600);
  EXPECT_EQ(searcher.warm_start, (std::vector{ExperimentId{3}, ExperimentId{5}}));
  EXPECT_EQ(searcher.observations,
            (std::vector{Observation{.hparams = Value::Object{{"lr", 0.1}}, .metric = 0.25}}));
  EXPECT_EQ(errors_of(cat(tpe, "observations: [{hparams: {lr: 0.1}}]}")),
            "2: searcher.observations[0]: must be a map of hparams and metric "
            "(as in {hparams: {lr: 0.1}, metric: 0.25})\n");
  EXPECT_EQ(errors_of(cat(tpe, "max_wall_time_s: 0}")).substr(0, 28),
            "2: searcher.max_wall_time_s:");
}

TEST(Config, HyperbandPbtTpeAndCustom) {
  const auto method = [](const std::string& searcher) {
    return parsed("entrypoint: a\nsearcher: {metric: m, " + searcher + "}").config.searcher.method;
  };
  EXPECT_EQ(std::get<HyperbandSearch>(method("name: hyperband, max_trials: 9, max_time: 4")),
            (HyperbandSearch{.max_trials = 9, .max_time = 4}));
  EXPECT_EQ(std::get<PbtSearch>(method("name: pbt, population_size: 4, interval: 2, max_time: 9")),
            (PbtSearch{.population_size = 4, .interval = 2, .max_time = 9}));
  EXPECT_EQ(std::get<TpeSearch>(method("name: tpe, max_trials: 9")), (TpeSearch{.max_trials = 9}));
  EXPECT_TRUE(std::holds_alternative<CustomSearch>(method("name: custom")));
  EXPECT_EQ(errors_of("entrypoint: a\nsearcher: {name: pbt, metric: m, population_size: 1, "
                      "interval: 2, max_time: 9, truncate_fraction: 0.6}\n"),
            "2: searcher.population_size: must be between 2 and 100000, got 1\n"
            "2: searcher.truncate_fraction: must be at most 0.5, got 0.6\n");
}

TEST(Config, AsyncHalvingNeedsItsNumbers) {
  EXPECT_EQ(errors_of("entrypoint: a\nsearcher: {name: async_halving, metric: m, divisor: 1}\n"),
            "2: searcher.divisor: must be greater than 1, got 1\n"
            "2: searcher.max_time: required but missing (add the time metric's value at which a "
            "trial is done, as in max_time: 1000)\n"
            "2: searcher.max_trials: required but missing (add the number of trials, as in "
            "max_trials: 16)\n"
            "2: searcher.num_rungs: required but missing (add how often a trial may be stopped, as "
            "in num_rungs: 3)\n");
}

TEST(Config, WhatComesLaterIsRefusedClearly) {
  const std::pair<const char*, const char*> cases[] = {
      {"searcher: {name: single, metric: m, promote: true}",
       "searcher.promote: only async_halving and adaptive_asha pause and promote trials (leave it "
       "out, or use one of them)"},
      {"searcher: {name: single, metric: m, source_trial_id: 3}",
       "searcher.source_trial_id: starting from another trial's checkpoint is not in this "
       "release "
       "(leave it out)"},
      {"resources: {slots_per_trial: {min: 1, max: 4}}",
       "resources.slots_per_trial: elastic trials ({min, max}) are not in this release (write "
       "one "
       "number, as in slots_per_trial: 2)"},
      {"checkpoint_storage: {type: s3, bucket: b}",
       "checkpoint_storage.type: \"s3\" is not supported yet (use one of: directory, master, "
       "shared_fs)"},
      {"distributed: {strategy: fsdp}",
       "distributed.strategy: \"fsdp\" is not in this release (use one of: auto, ddp)"},
      {"distributed: {backend: nccl}",
       "distributed.backend: \"nccl\" is not in this release (use one of: auto, gloo)"},
      {"environment: {family: jax}",
       "environment.family: \"jax\" is not in this release (use one of: auto, none, torch)"},
      {"environment: {family: troch}",
       "environment.family: unknown value \"troch\" (did you mean \"torch\"?)"},
  };
  for (const auto& [line, message] : cases) {
    std::string yaml = minimal;
    if (std::string(line).rfind("searcher", 0) == 0) yaml = "entrypoint: a\n";
    const std::string errors = errors_of(yaml + line);
    EXPECT_EQ(errors.substr(errors.find(' ') + 1), cat(message, "\n")) << line;
  }
  EXPECT_EQ(errors_of("entrypoint: a\nsearcher: {name: single, metric: m, promote: false}"), "");
}

TEST(Config, StorageIsCheckedByType) {
  const std::pair<const char*, const char*> cases[] = {
      {"{type: directory}",
       ".container_path: required but missing (add the folder to store checkpoints in)"},
      {"{type: directory, container_path: here}",
       ".container_path: must be an absolute path, got string \"here\""},
      {"{type: shared_fs}",
       ".host_path: required but missing (add the folder that all nodes share)"},
      {"{type: shared_fs, host_path: /tmp, storage_path: /other}",
       ".storage_path: must either be a relative directory or a subdirectory of host_path, got "
       "\"/other\""},
      {"{type: shared_fs, host_path: /tmp, storage_path: a/../../b}",
       ".storage_path: must either be a relative directory or a subdirectory of host_path, got "
       "\"a/../../b\""},
      {"{type: master, host_path: /tmp}",
       ".host_path: has no use with type: master, got string \"/tmp\" (it is a key of type: "
       "shared_fs)"},
  };
  for (const auto& [storage, message] : cases) {
    EXPECT_EQ(errors_of(minimal + "checkpoint_storage: " + storage),
              cat("3: checkpoint_storage", message, "\n"));
  }
}

TEST(Config, KeysWithoutEffectAreAcceptedAndSaid) {
  EXPECT_EQ(warnings_of(minimal + R"(
bind_mounts: [{host_path: /a, container_path: /b}]
environment: {image: ubuntu}
resources: {shm_size: 1.5 gb, devices: ["/a:/b"]}
profiling: {enabled: true}
optimizations: {mixed_precision: O1}
slurm: {gpu_type: a100}
log_policies: [{name: OOM, pattern: ".*OOM.*", action: cancel_retries}]
integrations: {webhooks: {webhook_id: [1]}}
data_layer: anything
)"),
            "bind_mounts: ignored: trials are plain processes and see the node's own folders\n"
            "data_layer: ignored: Determined gave this key up\n"
            "environment.image: ignored: containers are not used, the command runs on the node "
            "itself\n"
            "integrations: ignored: this site has none\n"
            "optimizations.mixed_precision: ignored: set it in the training code\n"
            "profiling: ignored: set it in the training code\n"
            "resources.devices: ignored: trials are plain processes, there is no container\n"
            "resources.shm_size: ignored: trials are plain processes, there is no container\n"
            "slurm: ignored: trials are started by our own agents\n");
}

TEST(Config, DefaultsWrittenOutAreNoReasonToWarn) {
  EXPECT_EQ(warnings_of(minimal + "profiling: {enabled: false}\ndebug: false\nslurm: {}\n"
                                  "environment: {force_pull_image: false}\nbind_mounts: []\n"),
            "");
}

TEST(Config, WarnsOfAnEntrypointThatIsNoCommand) {
  EXPECT_EQ(warnings_of("entrypoint: model_def:MyTrial\nsearcher: {name: single, metric: m}"),
            "entrypoint: \"model_def:MyTrial\" looks like the class of a trial; here it is a "
            "command for the shell\n");
}

TEST(Config, WarnsWhenDevicesHaveDifferentVariables) {
  EXPECT_EQ(warnings_of(minimal + "environment: {environment_variables: {cpu: [A=1], gpu: [A=2]}}"),
            "environment.environment_variables: the lists of cpu and cuda differ; slots are CPUs "
            "in this release, so cpu holds\n");
}

}  // namespace
}  // namespace dt::core
