// dtctl trial: one set of hyperparameters, its attempts, metrics, log and environment. Where it
// came from is provenance.cpp, running it again is reproduce.cpp.
#include "cli/app.h"
#include "cli/follow.h"
#include "cli/logs.h"
#include "cli/provenance.h"
#include "cli/read.h"
#include "cli/wire_json.h"
#include "dovetail/v1/metrics.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

Result<Exit> describe(const App& app, std::int64_t id) {
  const client::Client client = TRY(app.connect());
  v1::GetTrialRequest request;
  request.set_id(id);
  const auto got = TRY(client.call<v1::Trials>(&v1::Trials::Stub::GetTrial, request));
  if (app.json) {
    Value value = to_value(got.trial());
    Value::Array attempts, checkpoints;
    for (const v1::Attempt& attempt : got.attempts()) attempts.push_back(to_value(attempt));
    for (const v1::Checkpoint& checkpoint : got.checkpoints())
      checkpoints.push_back(to_value(checkpoint));
    value.set("attempt_list", std::move(attempts)).set("checkpoints", std::move(checkpoints));
    print_json(value);
    return Exit::ok;
  }
  const v1::Trial& trial = got.trial();
  const auto experiment = TRY(get_experiment(client, trial.experiment_id()));
  const auto provenance = TRY(get_provenance(client, id, 0));
  print(cat("trial ", id, " of experiment ", trial.experiment_id(), "  ",
            shown_state(trial, searcher_of(experiment)), "  step ", trial.latest_step()));
  print(cat("hparams ", short_hparams(trial.hparams_json()), "  seed ",
            static_cast<std::int64_t>(trial.seed())));
  const std::string facts = short_facts(provenance);
  if (!facts.empty()) print(facts);
  if (!trial.message().empty()) print(safe_text(trial.message()));
  if (!trial.waiting_reason().empty()) print(cat("waits: ", safe_text(trial.waiting_reason())));
  Table attempts(
      {"ATTEMPT", "ALLOCATION", "STATE", "RANKS", "STARTED", "TIME", "NODES", "OUTCOME"});
  for (const v1::Attempt& attempt : got.attempts()) {
    std::string nodes;
    for (const v1::AttemptNode& node : attempt.nodes()) {
      nodes += cat(nodes.empty() ? "" : ",", safe_text(node.agent_name()));
    }
    attempts.add(
        {std::to_string(attempt.attempt()), attempt.allocation_id(), attempt.state(),
         std::to_string(attempt.size()), local_time(attempt.started_ms()),
         attempt.ended_ms() > 0 ? duration(attempt.ended_ms() - attempt.created_ms()) : "-", nodes,
         safe_text(attempt.outcome())});
  }
  std::fputs(attempts.text().c_str(), stdout);
  if (got.checkpoints().empty()) return Exit::ok;
  Table checkpoints({"CHECKPOINT", "STEP", "STATE", "BYTES", "CREATED"});
  for (const v1::Checkpoint& checkpoint : got.checkpoints()) {
    checkpoints.add({checkpoint.id(), std::to_string(checkpoint.step()), checkpoint.state(),
                     std::to_string(checkpoint.bytes()), local_time(checkpoint.created_ms())});
  }
  std::fputs(checkpoints.text().c_str(), stdout);
  return Exit::ok;
}

Result<Exit> list(const App& app, std::int64_t experiment, const std::string& filter) {
  const client::Client client = TRY(app.connect());
  const v1::Experiment found = TRY(get_experiment(client, experiment));
  const std::vector<v1::Trial> trials = TRY(list_trials(client, experiment, filter));
  if (app.json) {
    Value::Array values;
    for (const v1::Trial& trial : trials) values.push_back(to_value(trial));
    print_json(std::move(values));
  } else if (trials.empty()) {
    print(filter.empty() ? "no trials" : "no trial passes the filter");
  } else {
    std::fputs(trial_table(found, trials).c_str(), stdout);
  }
  return Exit::ok;
}

struct MetricsOptions {
  std::int64_t trial = 0;
  std::string name, group;
  std::optional<int> rank;
  bool points = false;
};

bool wants(const MetricsOptions& options, const v1::Series& series) {
  return (options.name.empty() || series.name() == options.name) &&
         (options.group.empty() || series.metric_group() == options.group) &&
         (!options.rank || series.rank() == *options.rank);
}

Value to_value(const v1::Series& series) {
  Value value;
  value.set("id", series.id()).set("trial_id", series.trial_id()).set("rank", series.rank());
  value.set("group", series.metric_group())
      .set("name", series.name())
      .set("points", series.points());
  value.set("last_value", series.last_value()).set("last_step", series.last_step());
  value.set("min_value", series.min_value()).set("max_value", series.max_value());
  return value;
}

// One raw point a line, tab-separated, so that it feeds awk and spreadsheets.
Result<Exit> print_points(const App& app, const client::Client& client,
                          const std::vector<v1::Series>& wanted) {
  Value::Array values;
  if (!app.json) print("rank\tgroup\tname\tstep\tvalue");
  for (const v1::Series& series : wanted) {
    v1::GetSeriesRequest request;
    request.add_series_ids(series.id());
    const auto got = TRY(client.call<v1::Metrics>(&v1::Metrics::Stub::GetSeries, request));
    for (const v1::Bucket& point : got.series(0).buckets()) {
      if (app.json) {
        Value value;
        value.set("series_id", series.id()).set("rank", series.rank()).set("name", series.name());
        value.set("group", series.metric_group())
            .set("step", point.first_step())
            .set("value", point.first());
        values.push_back(std::move(value));
        continue;
      }
      print(cat(series.rank(), "\t", safe_text(series.metric_group()), "\t",
                safe_text(series.name()), "\t", point.first_step(), "\t", point.first()));
    }
  }
  if (app.json) print_json(std::move(values));
  return Exit::ok;
}

Result<Exit> metrics(const App& app, const MetricsOptions& options) {
  const client::Client client = TRY(app.connect());
  v1::ListSeriesRequest request;
  request.set_trial_id(options.trial);
  const auto listed = TRY(client.call<v1::Metrics>(&v1::Metrics::Stub::ListSeries, request));
  std::vector<v1::Series> wanted;
  for (const v1::Series& series : listed.series()) {
    if (wants(options, series)) wanted.push_back(series);
  }
  if (options.points) return print_points(app, client, wanted);
  Value::Array values;
  Table table({"GROUP", "NAME", "RANK", "POINTS", "LAST STEP", "LAST", "MIN", "MAX"});
  for (const v1::Series& series : wanted) {
    values.push_back(to_value(series));
    table.add({safe_text(series.metric_group()), safe_text(series.name()),
               std::to_string(series.rank()), std::to_string(series.points()),
               std::to_string(series.last_step()), number(series.last_value()),
               number(series.min_value()), number(series.max_value())});
  }
  if (app.json) {
    print_json(std::move(values));
  } else if (wanted.empty()) {
    print("no metrics");
  } else {
    std::fputs(table.text().c_str(), stdout);
  }
  return Exit::ok;
}

Result<Exit> logs(const App& app, const v1::ReadLogsRequest& request) {
  const client::Client client = TRY(app.connect());
  Value::Array values;
  TRY(read_logs(client, request, [&](const v1::LogLine& line) {
    if (!app.json) return print(log_text(line));
    Value value;
    value.set("time_ms", line.time_ms()).set("attempt", line.attempt()).set("rank", line.rank());
    value.set("output", line.output()).set("text", line.text());
    values.push_back(std::move(value));
  }));
  if (app.json) print_json(std::move(values));
  return Exit::ok;
}

Result<Exit> environment(const App& app, const v1::GetTrialEnvironmentRequest& request) {
  const client::Client client = TRY(app.connect());
  const auto got = TRY(client.call<v1::Trials>(&v1::Trials::Stub::GetTrialEnvironment, request));
  Value::Array values;
  Table table({"NAME", "VALUE", "REASON"});
  for (const v1::EnvironmentVariable& variable : got.variables()) {
    Value value;
    value.set("name", variable.name())
        .set("value", variable.value())
        .set("reason", variable.reason());
    values.push_back(std::move(value));
    table.add({safe_text(variable.name()), cut(safe_text(variable.value()), 80),
               safe_text(variable.reason())});
  }
  if (app.json) {
    print_json(std::move(values));
  } else {
    std::fputs(table.text().c_str(), stdout);
  }
  return Exit::ok;
}

void add_list(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand("list", "the trials of an experiment");
  const auto experiment = std::make_shared<std::int64_t>(0);
  const auto filter = std::make_shared<std::string>();
  command->add_option("EXPERIMENT", *experiment)->required();
  command->add_option("--filter", *filter,
                      "only those, as in \"hparams.lr <= 0.01 and state = completed\"");
  on_chosen(*command, app,
            [&app, experiment, filter] { return list(app, *experiment, *filter); });
}

void add_metrics(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand("metrics", "its series, or with --points every point");
  const auto options = std::make_shared<MetricsOptions>();
  command->add_option("ID", options->trial, "trial")->required();
  command->add_option("--name", options->name, "only this metric");
  command->add_option("--group", options->group, "only this group (training, validation, …)");
  command->add_option("--rank", options->rank, "only this rank");
  command->add_flag("--points", options->points, "every point, tab-separated");
  on_chosen(*command, app, [&app, options] { return metrics(app, *options); });
}

void add_logs(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand("logs", "what its ranks printed");
  const auto request = std::make_shared<v1::ReadLogsRequest>();
  const auto on = [&](const char* name, auto set, const char* help) {
    command->add_option_function<std::string>(name, set, help);
  };
  command
      ->add_option_function<std::int64_t>(
          "ID", [request](std::int64_t id) { request->set_trial_id(id); }, "trial")
      ->required();
  command->add_flag_callback(
      "--follow,-f", [request] { request->set_follow(true); }, "go on until it ends");
  command->add_option_function<std::int64_t>(
      "--tail", [request](std::int64_t lines) { request->set_tail(lines); }, "only the last lines");
  command->add_option_function<int>(
      "--attempt", [request](int attempt) { request->set_attempt(attempt); }, "only this attempt");
  command->add_option_function<std::vector<int>>(
      "--rank",
      [request](const std::vector<int>& ranks) {
        for (const int rank : ranks) request->add_ranks(rank);
      },
      "only these ranks (−1 is the first node's own words)");
  on(
      "--search", [request](const std::string& text) { request->set_search(text); },
      "only lines with this text");
  on(
      "--regex", [request](const std::string& text) { request->set_regex(text); },
      "only lines that match (RE2)");
  on_chosen(*command, app, [&app, request] { return logs(app, *request); });
}

void add_environment(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand("env", "the environment a rank was given, with reasons");
  const auto request = std::make_shared<v1::GetTrialEnvironmentRequest>();
  command
      ->add_option_function<std::int64_t>(
          "ID", [request](std::int64_t id) { request->set_id(id); }, "trial")
      ->required();
  command->add_option_function<int>(
      "--attempt", [request](int attempt) { request->set_attempt(attempt); },
      "default: the latest");
  command->add_option_function<int>(
      "--rank", [request](int rank) { request->set_rank(rank); }, "default: 0");
  on_chosen(*command, app, [&app, request] { return environment(app, *request); });
}

}  // namespace

void add_trial_commands(CLI::App& root, App& app) {
  CLI::App* group = root.add_subcommand("trial", "one set of hyperparameters");
  group->alias("t");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("describe", "state, attempts and checkpoints");
  const auto id = std::make_shared<std::int64_t>(0);
  command->add_option("ID", *id, "trial")->required();
  on_chosen(*command, app, [&app, id] { return describe(app, *id); });
  add_list(*group, app);
  add_metrics(*group, app);
  add_logs(*group, app);
  add_environment(*group, app);
  add_trial_continue(*group, app);
  add_provenance_command(*group, app);
  add_reproduce_command(*group, app);
}

}  // namespace dt::cli
