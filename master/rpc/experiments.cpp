// Experiments: the configuration is parsed and checked here, so that what the loop gets is valid.
#include <algorithm>
#include <chrono>

#include "core/model/config.h"
#include "dovetail/v1/experiment.grpc.pb.h"
#include "formats/json.h"
#include "formats/sha256.h"
#include "formats/yaml.h"
#include "master/pet_name.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

constexpr int page_size_default = 100;
constexpr int page_size_max = 1000;

Status with_line(const Status& error, const YamlDocument& document) {
  Detail detail = error.detail();
  if (detail.line == 0) detail.line = document.line_of(detail.path);
  return Status(error.code(), error.message()).with_detail(std::move(detail));
}

std::vector<Status> problems_of(const YamlDocument& document) {
  std::vector<Status> problems = core::check_config(document.value);
  for (Status& problem : problems) problem = with_line(problem, document);
  return problems;
}

// One Status that tells all problems, a line each; its detail is the first one's.
Status join(const std::vector<Status>& problems) {
  std::string text;
  for (const Status& problem : problems) {
    const int line = problem.detail().line;
    text += cat(text.empty() ? "" : "\n", line > 0 ? cat("line ", line, ": ") : "", problem.text());
  }
  Detail detail = problems.front().detail();
  if (problems.size() > 1) detail.hint.clear();  // each line has its own
  return invalid_argument(text).with_detail(std::move(detail));
}

// "searcher.max_trials=8" on top of the text.
Status apply_override(YamlDocument& document, const std::string& override_text) {
  const std::size_t equals = override_text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return invalid_argument("\"", override_text, "\" is not KEY=VALUE")
        .with_hint("as in searcher.max_trials=8");
  }
  const YamlDocument value = TRY(parse_yaml(override_text.substr(equals + 1)));
  return core::set_config_key(document.value, override_text.substr(0, equals), value.value);
}

template <class Overrides>
Result<YamlDocument> read_config(const std::string& text, const Overrides& overrides) {
  YamlDocument document = TRY(parse_yaml(text));
  for (const std::string& override_text : overrides) TRY(apply_override(document, override_text));
  return document;
}

core::ConfigDefaults defaults_now(const Clock& clock) {
  const std::int64_t now_ms = to_ms(clock.now());
  return {.seed = static_cast<std::uint32_t>(now_ms / 1000),
          .name = cat("Experiment (", pet_name(static_cast<std::uint64_t>(now_ms)), ")"),
          .priority = 42};
}

core::Verb verb_of(v1::ExperimentVerb verb) {
  switch (verb) {
    case v1::EXPERIMENT_VERB_PAUSE: return core::Verb::pause;
    case v1::EXPERIMENT_VERB_ACTIVATE: return core::Verb::activate;
    case v1::EXPERIMENT_VERB_CANCEL: return core::Verb::cancel;
    default: return core::Verb::kill;
  }
}

class ExperimentsService final : public v1::Experiments::Service {
 public:
  explicit ExperimentsService(const Services& services) : services_(services) {}

  grpc::Status ValidateConfig(grpc::ServerContext* context, const v1::ValidateConfigRequest* request,
                              v1::ValidateConfigResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return validate(*request, *response); });
  }

  grpc::Status CreateExperiment(grpc::ServerContext* context,
                                const v1::CreateExperimentRequest* request,
                                v1::CreateExperimentResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller& caller) { return create(caller, *request, *response); });
  }

  grpc::Status ListExperiments(grpc::ServerContext* context,
                               const v1::ListExperimentsRequest* request,
                               v1::ListExperimentsResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return list(*request, *response); });
  }

  grpc::Status GetExperiment(grpc::ServerContext* context, const v1::GetExperimentRequest* request,
                             v1::GetExperimentResponse* response) override {
    return handle(*context, services_, Right::person, [&](const Caller&) -> Status {
      const core::ExperimentRow row = TRY(services_.store.experiment({request->id()}));
      *response->mutable_experiment() = to_wire(row, ConfigText::include);
      return count_trials({response->mutable_experiment()});
    });
  }

  grpc::Status ChangeExperiment(grpc::ServerContext* context,
                                const v1::ChangeExperimentRequest* request,
                                v1::ChangeExperimentResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller& caller) { return change(caller, *request, *response); });
  }

 private:
  Status validate(const v1::ValidateConfigRequest& request, v1::ValidateConfigResponse& response) {
    const Result<YamlDocument> document = read_config(request.config_yaml(), request.overrides());
    const std::vector<Status> problems =
        document.ok() ? problems_of(*document) : std::vector{document.status()};
    for (const Status& problem : problems) {
      v1::ConfigProblem* error = response.add_errors();
      error->set_path(problem.detail().path);
      error->set_line(problem.detail().line);
      error->set_message(problem.message());
      error->set_value(problem.detail().value);
      error->set_hint(problem.detail().hint);
    }
    if (!problems.empty()) return {};
    const core::ParsedConfig parsed =
        TRY(core::parse_config(document->value, defaults_now(services_.clock)));
    for (const std::string& warning : parsed.warnings) response.add_warnings(warning);
    response.set_resolved_json(to_json(parsed.resolved));
    return {};
  }

  Status create(const Caller& caller, const v1::CreateExperimentRequest& request,
                v1::CreateExperimentResponse& response) {
    const YamlDocument document = TRY(read_config(request.config_yaml(), request.overrides()));
    const std::vector<Status> problems = problems_of(document);
    if (!problems.empty()) return join(problems);
    const core::ParsedConfig parsed =
        TRY(core::parse_config(document.value, defaults_now(services_.clock)));
    if (!request.context_hash().empty()) {
      TRY(services_.store.context({request.context_hash()}));
    }
    const std::string digest = sha256_hex(cat(to_json(document.value), '\n', request.context_hash(),
                                              '\n', request.paused()));
    const Value reply = TRY(services_.loop.ask([&](core::ReplyToken token) {
      return core::ExperimentSubmitted{.request = {.request_id = request.request_id(),
                                                   .user = caller.user,
                                                   .digest = digest,
                                                   .token = token},
                                       .config = parsed,
                                       .config_text = request.config_yaml(),
                                       .context = {request.context_hash()},
                                       .paused = request.paused()};
    }));
    response.set_experiment_id(reply["id"].as_int());
    for (const std::string& warning : parsed.warnings) response.add_warnings(warning);
    return {};
  }

  Status list(const v1::ListExperimentsRequest& request, v1::ListExperimentsResponse& response) {
    const int size = request.page().size() > 0 ? std::min(request.page().size(), page_size_max)
                                               : page_size_default;
    const ExperimentId before{std::atoll(request.page().token().c_str())};
    const std::vector<std::string> states(request.states().begin(), request.states().end());
    const auto rows = TRY(services_.store.list_experiments(states, before, size + 1));
    std::vector<v1::Experiment*> shown;
    for (const core::ExperimentRow& row : rows) {
      if (static_cast<int>(shown.size()) == size) break;
      shown.push_back(response.add_experiments());
      *shown.back() = to_wire(row, ConfigText::leave_out);
    }
    if (static_cast<int>(rows.size()) > size) {
      response.set_next_page_token(std::to_string(shown.back()->id()));
    }
    return count_trials(shown);
  }

  Status count_trials(const std::vector<v1::Experiment*>& experiments) {
    std::vector<ExperimentId> ids;
    for (const v1::Experiment* experiment : experiments) ids.push_back({experiment->id()});
    const auto counts = TRY(services_.store.trial_counts(ids));
    for (v1::Experiment* experiment : experiments) {
      const auto it = counts.find({experiment->id()});
      if (it == counts.end()) continue;
      experiment->set_trials(it->second.all);
      experiment->set_trials_running(it->second.active);
      experiment->set_trials_completed(it->second.completed);
      experiment->set_trials_errored(it->second.errored);
    }
    return {};
  }

  Status change(const Caller& caller, const v1::ChangeExperimentRequest& request,
                v1::ChangeExperimentResponse& response) {
    if (!v1::ExperimentVerb_IsValid(request.verb()) ||
        request.verb() == v1::EXPERIMENT_VERB_UNSPECIFIED) {
      return invalid_argument("verb ", static_cast<int>(request.verb()), " is not known")
          .with_hint("pause, activate, cancel or kill");
    }
    const Value reply = TRY(services_.loop.ask([&](core::ReplyToken token) {
      return core::VerbOrdered{
          .request = {.request_id = request.request_id(),
                      .user = caller.user,
                      .digest = cat(request.id(), ' ', static_cast<int>(request.verb())),
                      .token = token},
          .experiment = {request.id()},
          .verb = verb_of(request.verb())};
    }));
    response.set_state(reply["state"].as_string());
    return {};
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_experiments_service(const Services& services) {
  return std::make_unique<ExperimentsService>(services);
}

}  // namespace dt::master
