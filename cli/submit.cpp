#include "cli/submit.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/version.h"
#include "cli/follow.h"
#include "client/context.h"
#include "client/provenance.h"
#include "dovetail/v1/experiment.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

constexpr std::int64_t announced_bytes = 4 * 1024 * 1024;

// Says what takes long.
void announce_upload(const client::ContextProgress& progress) {
  const bool begins = progress.phase == client::ContextProgress::Phase::uploading &&
                      progress.done_bytes == 0;
  if (!begins || progress.total_bytes <= announced_bytes) return;
  std::fprintf(stderr, "uploading %lld files, %.1f MiB packed\n",
               static_cast<long long>(progress.files),
               static_cast<double>(progress.total_bytes) / (1024 * 1024));
}

v1::Provenance provenance_of(const App& app, const Submission& submission) {
  v1::Provenance own = client::provenance_of({.folder = submission.context_folder,
                                              .command = app.command,
                                              .client = cat("dtctl ", version)});
  if (!submission.parent || !submission.context_folder.empty()) return own;
  v1::Provenance inherited = submission.parent->provenance();
  inherited.set_command_line(own.command_line());
  inherited.set_user(own.user());
  inherited.set_host(own.host());
  inherited.set_client(own.client());
  return inherited;
}

Result<Exit> create(const App& app, const client::Client& client, const Submission& submission) {
  v1::CreateExperimentRequest request;
  request.set_config_yaml(submission.config_yaml);
  request.set_base_yaml(submission.base_yaml);
  for (const std::string& text : submission.overrides) request.add_overrides(text);
  request.set_paused(submission.paused);
  *request.mutable_provenance() = provenance_of(app, submission);
  if (submission.parent) {
    request.set_forked_from(submission.parent->id());
    request.set_context_hash(submission.parent->context_hash());
  }
  if (!submission.context_folder.empty()) {
    request.set_context_hash(TRY(client::upload_context(client, submission.context_folder,
                                                        {.on_progress = announce_upload})));
  }
  const auto created =
      TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, request));
  for (const std::string& warning : created.warnings()) print_warning(warning);
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

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) return not_found("configuration ", path, " cannot be read: ", std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void print_problem(const std::string& config_name, const v1::ConfigProblem& problem) {
  const std::string place =
      problem.line() > 0 ? cat(config_name, ":", problem.line()) : config_name;
  std::string text = cat(place, ": ", safe_text(problem.message()));
  if (!problem.hint().empty()) text += cat(" (", safe_text(problem.hint()), ")");
  std::fputs((text + "\n").c_str(), stderr);
}

void print_warning(const std::string& warning) {
  std::fputs(cat("warning: ", safe_text(warning), "\n").c_str(), stderr);
}

Result<Exit> submit(const App& app, const Submission& submission) {
  const client::Client client = TRY(app.connect());
  v1::ValidateConfigRequest request;
  request.set_config_yaml(submission.config_yaml);
  request.set_base_yaml(submission.base_yaml);
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
