// dtctl experiment pause, activate, cancel, kill, archive, unarchive, delete: of one or many, each
// with a result of its own; the exit code is that of a failure as soon as one of them failed.
#include <unistd.h>

#include <iostream>

#include "cli/app.h"
#include "cli/read.h"
#include "dovetail/v1/experiment.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

Status status_of(const v1::ItemError& error) {
  return Status(static_cast<Code>(error.code()), error.message()).with_hint(error.hint());
}

Value to_value(const v1::ChangeResult& result) {
  Value value;
  value.set("id", result.id());
  if (result.has_error()) {
    Value error;
    error.set("message", result.error().message()).set("hint", result.error().hint());
    return value.set("error", std::move(error));
  }
  value.set("state", result.state());
  if (!result.warning().empty()) value.set("warning", result.warning());
  return value;
}

Exit show(const App& app, const v1::ChangeExperimentsResponse& changed, v1::ExperimentVerb verb) {
  Exit exit = Exit::ok;
  Value::Array values;
  for (const v1::ChangeResult& result : changed.results()) {
    values.push_back(to_value(result));
    if (result.has_error()) {
      print_error(status_of(result.error()));
      if (exit == Exit::ok) exit = exit_of(status_of(result.error()));
    } else if (!app.json) {
      const bool archived = verb == v1::EXPERIMENT_VERB_ARCHIVE;
      print(cat("experiment ", result.id(), " is ", result.state(), archived ? ", archived" : ""));
      if (!result.warning().empty()) print(cat("warning: ", safe_text(result.warning())));
    }
  }
  if (!app.json) return exit;
  if (values.size() == 1) {
    print_json(values.front());
  } else {
    print_json(std::move(values));
  }
  return exit;
}

Result<Exit> change(const App& app, const std::vector<std::string>& ids, v1::ExperimentVerb verb) {
  v1::ChangeExperimentsRequest request;
  request.set_verb(verb);
  for (const std::int64_t id : TRY(parse_ids(ids))) request.add_ids(id);
  const client::Client client = TRY(app.connect());
  const auto changed =
      TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::ChangeExperiments, request));
  return show(app, changed, verb);
}

Result<bool> confirmed(const std::vector<std::string>& ids) {
  std::string list;
  for (const std::string& id : ids) list += cat(list.empty() ? "" : ", ", id);
  if (isatty(STDIN_FILENO) == 0) {
    return failed_precondition("deleting ", list, " cannot be undone, and nobody is there to ask")
        .with_hint("give --yes");
  }
  std::cerr << "delete " << safe_text(list)
            << " with all trials, metrics, logs and checkpoints? This cannot be undone. [y/N] ";
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

void add_verb(CLI::App& group, App& app, const char* name, const char* help,
              v1::ExperimentVerb verb) {
  CLI::App* command = group.add_subcommand(name, help);
  const auto ids = std::make_shared<std::vector<std::string>>();
  command->add_option("ID", *ids, "experiments: 3 5 8-12")->required();
  on_chosen(*command, app, [&app, ids, verb] { return change(app, *ids, verb); });
}

void add_delete(CLI::App& group, App& app) {
  CLI::App* command =
      group.add_subcommand("delete", "remove ended ones with all that belongs to them, for ever");
  const auto ids = std::make_shared<std::vector<std::string>>();
  const auto yes = std::make_shared<bool>(false);
  command->add_option("ID", *ids, "experiments: 3 5 8-12")->required();
  command->add_flag("--yes,-y", *yes, "do not ask");
  on_chosen(*command, app, [&app, ids, yes]() -> Result<Exit> {
    TRY(parse_ids(*ids));
    const bool go = *yes || TRY(confirmed(*ids));
    if (!go) return Exit::canceled;
    return change(app, *ids, v1::EXPERIMENT_VERB_DELETE);
  });
}

}  // namespace

void add_experiment_verbs(CLI::App& group, App& app) {
  add_verb(group, app, "pause", "checkpoint and give the slots back", v1::EXPERIMENT_VERB_PAUSE);
  add_verb(group, app, "activate", "go on after a pause", v1::EXPERIMENT_VERB_ACTIVATE);
  add_verb(group, app, "cancel", "let the trials checkpoint, then end them",
           v1::EXPERIMENT_VERB_CANCEL);
  add_verb(group, app, "kill", "end them at once", v1::EXPERIMENT_VERB_KILL);
  add_verb(group, app, "archive", "leave ended ones out of lists (list --all shows them)",
           v1::EXPERIMENT_VERB_ARCHIVE);
  add_verb(group, app, "unarchive", "show them in lists again", v1::EXPERIMENT_VERB_UNARCHIVE);
  add_delete(group, app);
}

}  // namespace dt::cli
