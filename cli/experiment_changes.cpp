// dtctl experiment set and continue, dtctl trial continue: changes of what is there.
#include "cli/app.h"
#include "cli/read.h"
#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

Result<Exit> set(const App& app, const v1::EditExperimentRequest& request) {
  v1::EditExperimentRequest nothing;
  nothing.set_id(request.id());
  if (request.SerializeAsString() == nothing.SerializeAsString()) {
    return invalid_argument("nothing to set").with_hint("dtctl experiment set --help");
  }
  const client::Client client = TRY(app.connect());
  TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::EditExperiment, request));
  if (app.json) {
    print_json(Value().set("id", request.id()));
  } else {
    print(cat("experiment ", request.id(), " is changed"));
  }
  return Exit::ok;
}

Result<Exit> go_on(const App& app, const client::Client& client,
                   const v1::ContinueExperimentRequest& request) {
  const auto continued =
      TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::ContinueExperiment, request));
  Value::Array ids(continued.trial_ids().begin(), continued.trial_ids().end());
  std::string list;
  for (const std::int64_t id : continued.trial_ids()) list += cat(list.empty() ? "" : ", ", id);
  if (app.json) {
    print_json(Value().set("id", request.id()).set("trials", std::move(ids)));
    return Exit::ok;
  }
  for (const std::string& warning : continued.warnings()) {
    print(cat("warning: ", safe_text(warning)));
  }
  print(cat("experiment ", request.id(), " goes on with ",
            continued.trial_ids_size() == 1 ? "trial " : "trials ", list));
  return Exit::ok;
}

Result<Exit> go_on_with_trial(const App& app, std::int64_t trial,
                              const std::vector<std::string>& overrides) {
  const client::Client client = TRY(app.connect());
  v1::GetTrialRequest which;
  which.set_id(trial);
  const auto got = TRY(client.call<v1::Trials>(&v1::Trials::Stub::GetTrial, which));
  v1::ContinueExperimentRequest request;
  request.set_id(got.trial().experiment_id());
  request.add_trial_ids(trial);
  for (const std::string& text : overrides) request.add_overrides(text);
  return go_on(app, client, request);
}

void add_set(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand(
      "set", "name, description, notes, labels; of a job also priority, weight, max-slots");
  const auto request = std::make_shared<v1::EditExperimentRequest>();
  command
      ->add_option_function<std::int64_t>(
          "ID", [request](std::int64_t id) { request->set_id(id); }, "experiment")
      ->required();
  const auto text = [&](const char* name, const char* help, auto setter) {
    command->add_option_function<std::string>(
        name, [request, setter](const std::string& value) { setter(*request, value); }, help);
  };
  text("--name", "what it is called", [](auto& r, const auto& value) { r.set_name(value); });
  text("--description", "what it is for",
       [](auto& r, const auto& value) { r.set_description(value); });
  text("--notes", "what was found", [](auto& r, const auto& value) { r.set_notes(value); });
  const auto labels = [&](const char* name, const char* help, auto add) {
    command
        ->add_option_function<std::vector<std::string>>(
            name,
            [request, add](const std::vector<std::string>& values) {
              for (const std::string& value : values) add(*request, value);
            },
            help)
        ->allow_extra_args(false);
  };
  labels("--label", "one more label, repeatable",
         [](auto& r, const auto& value) { r.add_add_labels(value); });
  labels("--remove-label", "one label less, repeatable",
         [](auto& r, const auto& value) { r.add_remove_labels(value); });
  command->add_flag_callback(
      "--clear-labels", [request] { request->mutable_labels(); }, "before --label");
  command->add_option_function<int>(
      "--priority", [request](int value) { request->set_priority(value); },
      "1 (first) to 99; another turn in the queue");
  command->add_option_function<double>(
      "--weight", [request](double value) { request->set_weight(value); },
      "its share where slots are shared fairly");
  command->add_option_function<int>(
      "--max-slots", [request](int value) { request->set_max_slots(value); },
      "how many slots it may hold; 0: no limit");
  on_chosen(*command, app, [&app, request] { return set(app, *request); });
}

void add_continue(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand(
      "continue", "let an ended one go on: what did not complete runs again from its checkpoint");
  const auto request = std::make_shared<v1::ContinueExperimentRequest>();
  command
      ->add_option_function<std::int64_t>(
          "ID", [request](std::int64_t id) { request->set_id(id); }, "experiment")
      ->required();
  command
      ->add_option_function<std::vector<std::string>>(
          "--set",
          [request](const std::vector<std::string>& values) {
            for (const std::string& value : values) request->add_overrides(value);
          },
          "KEY=VALUE on top of its configuration, repeatable; hyperparameters of a single trial")
      ->allow_extra_args(false);
  on_chosen(*command, app, [&app, request]() -> Result<Exit> {
    const client::Client client = TRY(app.connect());
    return go_on(app, client, *request);
  });
}

}  // namespace

void add_experiment_changes(CLI::App& group, App& app) {
  add_set(group, app);
  add_continue(group, app);
}

void add_trial_continue(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand(
      "continue", "let one trial of an ended experiment go on, whatever its search had decided");
  const auto id = std::make_shared<std::int64_t>(0);
  const auto overrides = std::make_shared<std::vector<std::string>>();
  command->add_option("ID", *id, "trial")->required();
  command->add_option("--set", *overrides, "KEY=VALUE on top of its configuration, repeatable")
      ->allow_extra_args(false);
  on_chosen(*command, app,
            [&app, id, overrides] { return go_on_with_trial(app, *id, *overrides); });
}

}  // namespace dt::cli
