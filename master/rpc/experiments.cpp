// Experiments: looking at them here; submitting and changing them in the files beside this one.
#include "dovetail/v1/experiment.grpc.pb.h"
#include "formats/json.h"
#include "master/provenance.h"
#include "master/rpc/config_text.h"
#include "master/rpc/experiment_verbs.h"
#include "master/rpc/filter.h"
#include "master/rpc/page.h"
#include "master/rpc/search.h"
#include "master/rpc/services.h"
#include "master/rpc/submit.h"

namespace dt::master {
namespace {

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
                  [&](const Caller& caller) {
                    return create_experiment(services_, caller, *request, *response);
                  });
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
      const Value provenance = TRY(services_.store.provenance(row.id));
      if (!provenance.is_null()) {
        *response->mutable_experiment()->mutable_provenance() = provenance_of(provenance);
      }
      return count_trials({response->mutable_experiment()});
    });
  }

  grpc::Status PreviewSearch(grpc::ServerContext* context, const v1::PreviewSearchRequest* request,
                             v1::PreviewSearchResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return preview_search(*request, *response); });
  }

  grpc::Status GetSearch(grpc::ServerContext* context, const v1::GetSearchRequest* request,
                         v1::GetSearchResponse* response) override {
    return handle(*context, services_, Right::person, [&](const Caller&) {
      return get_search(services_.store, {request->experiment_id()}, *response);
    });
  }

  grpc::Status ChangeExperiment(grpc::ServerContext* context,
                                const v1::ChangeExperimentRequest* request,
                                v1::ChangeExperimentResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller& caller) {
                    return change_experiment(services_, caller, *request, *response);
                  });
  }

  grpc::Status CreateExperiments(grpc::ServerContext* context,
                                 const v1::CreateExperimentsRequest* request,
                                 v1::CreateExperimentsResponse* response) override {
    return handle(*context, services_, Right::person, [&](const Caller& caller) {
      return create_experiments(services_, caller, *request, *response);
    });
  }

  grpc::Status ChangeExperiments(grpc::ServerContext* context,
                                 const v1::ChangeExperimentsRequest* request,
                                 v1::ChangeExperimentsResponse* response) override {
    return handle(*context, services_, Right::person, [&](const Caller& caller) {
      return change_experiments(services_, caller, *request, *response);
    });
  }

  grpc::Status EditExperiment(grpc::ServerContext* context, const v1::EditExperimentRequest* request,
                              v1::EditExperimentResponse*) override {
    return handle(*context, services_, Right::person, [&](const Caller& caller) {
      return edit_experiment(services_, caller, *request);
    });
  }

  grpc::Status ContinueExperiment(grpc::ServerContext* context,
                                  const v1::ContinueExperimentRequest* request,
                                  v1::ContinueExperimentResponse* response) override {
    return handle(*context, services_, Right::person, [&](const Caller& caller) {
      return continue_experiment(services_, caller, *request, *response);
    });
  }

 private:
  Status validate(const v1::ValidateConfigRequest& request, v1::ValidateConfigResponse& response) {
    const Result<YamlDocument> document = read_config(request.config_yaml(), request.overrides(), request.base_yaml());
    const std::vector<Status> problems = check_text(document);
    add_problems(problems, *response.mutable_errors());
    if (!problems.empty()) return {};
    const core::ParsedConfig parsed =
        TRY(core::parse_config(document->value, defaults_now(services_.clock)));
    for (const std::string& warning : parsed.warnings) response.add_warnings(warning);
    response.set_resolved_json(to_json(parsed.resolved));
    return {};
  }

  Status list(const v1::ListExperimentsRequest& request, v1::ListExperimentsResponse& response) {
    const int size = TRY(page_size(request.page()));
    const ExperimentId before{TRY(page_after(request.page(), 0))};
    const auto rows = TRY(matching(request, before, size + 1));
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

  // At most `most` experiments that pass, with ids before `before` (0: all).
  Result<std::vector<core::ExperimentRow>> matching(const v1::ListExperimentsRequest& request,
                                                    ExperimentId before, int most) {
    const core::Filter filter = TRY(read_filter(request.filter(), core::FilterRows::experiments));
    const int chunk = rows_to_read(filter, most);
    std::vector<core::ExperimentRow> found;
    for (;;) {
      auto rows = TRY(services_.store.list_experiments(
          {.states = {request.states().begin(), request.states().end()},
           .before = before,
           .limit = chunk,
           .archived = request.archived()}));
      const bool is_last = static_cast<int>(rows.size()) < chunk;
      for (core::ExperimentRow& row : rows) {
        before = row.id;
        const bool passes = passes_all(filter) || core::matches(filter, core::filter_values(row));
        if (passes) found.push_back(std::move(row));
        if (static_cast<int>(found.size()) == most) return found;
      }
      if (is_last) return found;
    }
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

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_experiments_service(const Services& services) {
  return std::make_unique<ExperimentsService>(services);
}

}  // namespace dt::master
