// dtctl experiment: submit, look at, wait for, change.
#include <algorithm>
#include <mutex>
#include <thread>

#include "cli/app.h"
#include "cli/follow.h"
#include "cli/logs.h"
#include "cli/read.h"
#include "cli/submit.h"
#include "cli/usage.h"
#include "cli/wire_json.h"
#include "dovetail/v1/experiment.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

std::string metric_text(const v1::Experiment& experiment) {
  if (!experiment.has_best_metric()) return "-";
  return cat(safe_text(experiment.metric()), "=", number(experiment.best_metric()));
}

constexpr int page_size_max = 20'000;  // the master's

struct ListOptions {
  std::vector<std::string> states;
  bool archived = false;
  std::string filter;
  int limit = 100;
};

Result<Exit> list(const App& app, const ListOptions& options) {
  const client::Client client = TRY(app.connect());
  v1::ListExperimentsRequest request;
  for (const std::string& state : options.states) request.add_states(state);
  request.set_archived(options.archived);
  request.set_filter(options.filter);
  Value::Array values;
  Table table(
      {"ID", "NAME", "STATE", "PROGRESS", "TRIALS", "BEST", "SEARCHER", "OWNER", "CREATED"});
  do {
    const int left = options.limit - static_cast<int>(values.size());
    request.mutable_page()->set_size(std::min(left, page_size_max));
    const auto page =
        TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::ListExperiments, request));
    for (const v1::Experiment& experiment : page.experiments()) {
      values.push_back(to_value(experiment));
      table.add({std::to_string(experiment.id()), cut(safe_text(experiment.name()), 40),
                 experiment.state(), cat(static_cast<int>(experiment.progress() * 100), "%"),
                 std::to_string(experiment.trials()), metric_text(experiment),
                 experiment.searcher(), safe_text(experiment.owner()),
                 local_time(experiment.created_ms())});
    }
    request.mutable_page()->set_token(page.next_page_token());
  } while (!request.page().token().empty() && static_cast<int>(values.size()) < options.limit);
  if (app.json) {
    print_json(std::move(values));
  } else if (values.empty()) {
    print("no experiments; submit one with dtctl experiment create CONFIG CONTEXT");
  } else {
    std::fputs(table.text().c_str(), stdout);
  }
  return Exit::ok;
}

Result<v1::GetSearchResponse> get_search(const client::Client& client, std::int64_t id) {
  v1::GetSearchRequest request;
  request.set_experiment_id(id);
  return client.call<v1::Experiments>(&v1::Experiments::Stub::GetSearch, request);
}

void print_rungs(const v1::GetSearchResponse& search) {
  if (search.rungs().empty()) return;
  Table table({"RUNG", cut(safe_text(search.unit()), 30), "TRIALS", "WENT ON", "STOPPED", "BEST"});
  for (int i = 0; i < search.rungs_size(); ++i) {
    const v1::SearchRung& rung = search.rungs(i);
    table.add({std::to_string(i), std::to_string(rung.units()), std::to_string(rung.trials()),
               std::to_string(rung.continued()), std::to_string(rung.stopped()),
               rung.has_best_metric() ? number(rung.best_metric()) : "-"});
  }
  std::fputs(table.text().c_str(), stdout);
}

// What people wrote on it.
void print_written(const v1::Experiment& experiment) {
  std::string labels;
  for (const std::string& label : experiment.labels()) labels += cat(" ", safe_text(label));
  if (experiment.archived()) print("archived");
  if (!labels.empty()) print(cat("labels", labels));
  if (!experiment.description().empty()) print(safe_text(experiment.description()));
  if (!experiment.notes().empty()) print(cat("notes: ", safe_text(experiment.notes())));
}

Result<Exit> describe(const App& app, std::int64_t id) {
  const client::Client client = TRY(app.connect());
  const v1::Experiment experiment = TRY(get_experiment(client, id));
  const std::vector<v1::Trial> trials = TRY(list_trials(client, id));
  const v1::GetSearchResponse search = get_search(client, id).value_or({});  // none: no rungs
  if (app.json) {
    Value value = to_value(experiment);
    Value::Array list;
    for (const v1::Trial& trial : trials) list.push_back(to_value(trial));
    value.set("trials", std::move(list)).set("search", to_value(search));
    print_json(value);
    return Exit::ok;
  }
  print(cat("experiment ", id, "  ", safe_text(experiment.name()), "  ", experiment.state(), "  ",
            static_cast<int>(experiment.progress() * 100), "%"));
  print(cat("owner ", safe_text(experiment.owner()), "  searcher ", experiment.searcher(),
            "  created ", local_time(experiment.created_ms()), "  ended ",
            local_time(experiment.ended_ms())));
  print_written(experiment);
  if (experiment.forked_from() != 0) print(cat("forked from ", experiment.forked_from()));
  if (!experiment.message().empty()) print(safe_text(experiment.message()));
  std::fputs(trial_table(experiment, trials).c_str(), stdout);
  print_rungs(search);
  for (const v1::Trial& trial : trials) {
    if (!trial.message().empty())
      print(cat("trial ", trial.id(), ": ", safe_text(trial.message())));
    if (trial.waiting_reason().empty()) continue;
    print(cat("trial ", trial.id(), " waits: ", safe_text(trial.waiting_reason())));
  }
  print(best_line(experiment, trials));
  return Exit::ok;
}

// Lines of all trials; with follow, of those that are there now, each in a thread of its own.
Result<Exit> logs(const App& app, std::int64_t id, v1::ReadLogsRequest request) {
  const client::Client client = TRY(app.connect());
  const std::vector<v1::Trial> trials = TRY(list_trials(client, id));
  std::mutex mutex;  // guards stdout and failure
  Status failure;
  const auto read = [&](std::int64_t trial, v1::ReadLogsRequest wanted) {
    wanted.set_trial_id(trial);
    const Status status = read_logs(client, wanted, [&](const v1::LogLine& line) {
      const std::lock_guard lock(mutex);
      print(cat("trial ", trial, " ", log_text(line)));
    });
    const std::lock_guard lock(mutex);
    if (!status.ok()) failure = status;
  };
  std::vector<std::jthread> threads;
  for (const v1::Trial& trial : trials) {
    if (request.follow() && !is_over(trial.state())) {
      threads.emplace_back(read, trial.id(), request);
    } else {
      read(trial.id(), request);
    }
  }
  threads.clear();
  if (!failure.ok()) return failure;
  return Exit::ok;
}

Result<Exit> wait(const App& app, std::int64_t id) {
  const client::Client client = TRY(app.connect());
  TRY(get_experiment(client, id));
  const Exit exit = TRY(follow_experiment(client, id, Narration::quiet));
  const v1::Experiment experiment = TRY(get_experiment(client, id));
  if (app.json) {
    print_json(to_value(experiment));
  } else {
    print(cat("experiment ", id, " is ", experiment.state()));
  }
  return exit;
}

void add_create(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand("create", "submit a configuration and the code it runs");
  const auto submission = std::make_shared<Submission>();
  const auto config = std::make_shared<std::string>();
  command->add_option("CONFIG", *config, "YAML file")->required();
  command->add_option("CONTEXT", submission->context_folder,
                      "folder with the code, uploaded by content (.dtignore leaves files out)");
  const auto base = std::make_shared<std::string>();
  command->add_option("--base", *base, "YAML file with what CONFIG does not say");
  command->add_option("--set", submission->overrides, "KEY=VALUE on top of the file, repeatable")
      ->allow_extra_args(false);
  command->add_flag("--paused", submission->paused, "do not start it yet");
  command->add_flag("--follow,-f", submission->follow, "show progress until it ends");
  on_chosen(*command, app, [&app, submission, config, base]() -> Result<Exit> {
    if (!base->empty()) submission->base_yaml = TRY(read_text(*base));
    submission->config_name = *config;
    submission->config_yaml = TRY(read_text(*config));
    return submit(app, *submission);
  });
}

void add_fork(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand(
      "fork", "submit an experiment's configuration and code once more, with changes");
  const auto submission = std::make_shared<Submission>();
  const auto id = std::make_shared<std::int64_t>(0);
  const auto config = std::make_shared<std::string>();
  command->add_option("ID", *id, "experiment")->required();
  command->add_option("--config", *config, "YAML file instead of its configuration");
  command->add_option("--set", submission->overrides, "KEY=VALUE on top of it, repeatable")
      ->allow_extra_args(false);
  command->add_option("--context", submission->context_folder,
                      "folder with the code, instead of its own");
  command->add_flag("--paused", submission->paused, "do not start it yet");
  command->add_flag("--follow,-f", submission->follow, "show progress until it ends");
  on_chosen(*command, app, [&app, submission, id, config]() -> Result<Exit> {
    const client::Client client = TRY(app.connect());
    submission->parent = TRY(get_experiment(client, *id));
    submission->config_name = config->empty() ? cat("experiment ", *id) : *config;
    submission->config_yaml =
        config->empty() ? submission->parent->config_yaml() : TRY(read_text(*config));
    return submit(app, *submission);
  });
}

template <class Work>
void add_with_id(CLI::App& group, App& app, const char* name, const char* help, Work work) {
  CLI::App* command = group.add_subcommand(name, help);
  const auto id = std::make_shared<std::int64_t>(0);
  command->add_option("ID", *id, "experiment")->required();
  on_chosen(*command, app, [&app, id, work] { return work(app, *id); });
}

void add_logs(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand("logs", "what the ranks of all its trials printed");
  const auto id = std::make_shared<std::int64_t>(0);
  const auto request = std::make_shared<v1::ReadLogsRequest>();
  command->add_option("ID", *id, "experiment")->required();
  command->add_flag_callback(
      "--follow,-f", [request] { request->set_follow(true); }, "go on until the trials end");
  command->add_option_function<std::int64_t>(
      "--tail", [request](std::int64_t lines) { request->set_tail(lines); },
      "only the last lines of each");
  command->add_option_function<std::string>(
      "--search", [request](const std::string& text) { request->set_search(text); },
      "only lines with this text");
  on_chosen(*command, app, [&app, id, request] { return logs(app, *id, *request); });
}

}  // namespace

void add_experiment_commands(CLI::App& root, App& app) {
  CLI::App* group = root.add_subcommand("experiment", "searches: submit, look at, change");
  group->alias("e");
  group->require_subcommand(1);
  add_create(*group, app);
  add_fork(*group, app);
  CLI::App* command = group->add_subcommand("list", "newest first");
  const auto options = std::make_shared<ListOptions>();
  command->add_option("--state", options->states, "only these (ACTIVE, PAUSED, COMPLETED, …)");
  command->add_flag("--all", options->archived, "archived ones too");
  command->add_option("--filter", options->filter,
                      "only those, as in \"labels contains nightly and best_metric < 0.1\"");
  command->add_option("--limit", options->limit, "how many")->check(at_least(1));
  on_chosen(*command, app, [&app, options] { return list(app, *options); });
  add_with_id(*group, app, "describe", "one experiment with its trials", describe);
  add_with_id(*group, app, "wait", "until it ends; the exit code tells how", wait);
  add_experiment_verbs(*group, app);
  add_experiment_changes(*group, app);
  add_logs(*group, app);
}

}  // namespace dt::cli
