#include "cli/submit.h"

#include "cli/context.h"
#include "cli/follow.h"
#include "dovetail/v1/experiment.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

// "asha.yaml:12: searcher.max_trials: must be > 0, got -3"
void print_problem(const std::string& config_name, const v1::ConfigProblem& problem) {
  const std::string place =
      problem.line() > 0 ? cat(config_name, ":", problem.line()) : config_name;
  std::string text = cat(place, ": ", safe_text(problem.message()));
  if (!problem.hint().empty()) text += cat(" (", safe_text(problem.hint()), ")");
  std::fputs((text + "\n").c_str(), stderr);
}

Result<Exit> create(const App& app, const client::Client& client, const Submission& submission) {
  v1::CreateExperimentRequest request;
  request.set_config_yaml(submission.config_yaml);
  for (const std::string& text : submission.overrides) request.add_overrides(text);
  request.set_paused(submission.paused);
  if (!submission.context_folder.empty()) {
    request.set_context_hash(TRY(upload_context(client, submission.context_folder)));
  }
  const auto created =
      TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, request));
  for (const std::string& warning : created.warnings()) {
    std::fputs(cat("warning: ", safe_text(warning), "\n").c_str(), stderr);
  }
  if (app.json) {
    print_json(Value().set("id", created.experiment_id()));
  } else {
    print(cat("created experiment ", created.experiment_id()));
  }
  if (!submission.follow) return Exit::ok;
  return follow_experiment(client, created.experiment_id(),
                           app.json ? Narration::quiet : Narration::lines);
}

}  // namespace

Result<Exit> submit(const App& app, const Submission& submission) {
  const client::Client client = TRY(app.connect());
  v1::ValidateConfigRequest request;
  request.set_config_yaml(submission.config_yaml);
  for (const std::string& text : submission.overrides) request.add_overrides(text);
  const auto checked =
      TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::ValidateConfig, request));
  for (const v1::ConfigProblem& problem : checked.errors()) {
    print_problem(submission.config_name, problem);
  }
  if (!checked.errors().empty()) return Exit::failed;
  return create(app, client, submission);
}

}  // namespace dt::cli
