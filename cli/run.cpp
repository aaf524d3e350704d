// dtctl run -- COMMAND: an experiment of one trial around any command.
#include <filesystem>

#include "cli/submit.h"
#include "formats/json.h"

namespace dt::cli {
namespace {

struct RunOptions {
  std::vector<std::string> command;
  std::string name;
  std::string context = ".";
  bool no_context = false;
  int slots = 1;
  int max_restarts = 0;
  std::string pool;
  std::string metric = "validation_loss";
  std::vector<std::string> environment;
  std::vector<std::string> overrides;
  bool detach = false;
};

Value config_of(const RunOptions& options) {
  std::string shown;
  for (const std::string& word : options.command) shown += cat(shown.empty() ? "" : " ", word);
  Value config;
  config.set("name", options.name.empty() ? cut(shown, 60) : options.name);
  config.set("entrypoint", Value::Array(options.command.begin(), options.command.end()));
  config.set("max_restarts", options.max_restarts);
  config.set("searcher", Value().set("name", "single").set("metric", options.metric));
  Value resources;
  resources.set("slots_per_trial", options.slots);
  if (!options.pool.empty()) resources.set("resource_pool", options.pool);
  config.set("resources", std::move(resources));
  if (!options.environment.empty()) {
    const Value::Array variables(options.environment.begin(), options.environment.end());
    config.set("environment", Value().set("environment_variables", variables));
  }
  return config;
}

Result<Exit> run(const App& app, const RunOptions& options) {
  return submit(app, {.config_name = "dtctl run",
                      .config_yaml = to_json_pretty(config_of(options)),  // JSON is YAML
                      .overrides = options.overrides,
                      .context_folder = options.no_context ? "" : options.context,
                      .paused = false,
                      .follow = !options.detach});
}

}  // namespace

void add_run_command(CLI::App& root, App& app) {
  CLI::App* command = root.add_subcommand(
      "run", "run any command as a trial: dtctl run --slots 2 -- python3 train.py");
  const auto options = std::make_shared<RunOptions>();
  command->add_option("COMMAND", options->command, "after --")->required();
  command->add_option("--slots", options->slots, "ranks, one a slot")->capture_default_str();
  command->add_option("--name", options->name, "default: the command");
  command->add_option("--context", options->context, "folder it runs in, uploaded")
      ->capture_default_str();
  command->add_flag("--no-context", options->no_context, "upload nothing");
  command->add_option("--pool", options->pool, "resource pool");
  command->add_option("--metric", options->metric, "which validation metric is shown")
      ->capture_default_str();
  command->add_option("--max-restarts", options->max_restarts, "after a failure")
      ->capture_default_str();
  command->add_option("--env", options->environment, "NAME=VALUE, repeatable")
      ->allow_extra_args(false);
  command->add_option("--set", options->overrides, "any key of the configuration: KEY=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--detach,-d", options->detach, "do not wait for its end");
  on_chosen(*command, app, [&app, options] { return run(app, *options); });
}

}  // namespace dt::cli
