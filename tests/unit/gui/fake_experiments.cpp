// The Experiments service of a FakeMaster.
#include "tests/unit/gui/fake_master_state.h"

namespace dt::gui {
namespace {

namespace v1 = ::dovetail::v1;
using Context = grpc::ServerContext;

class Experiments final : public v1::Experiments::Service {
 public:
  explicit Experiments(FakeMaster::State& state) : state_(state) {}

  grpc::Status ValidateConfig(Context* context, const v1::ValidateConfigRequest* request,
                              v1::ValidateConfigResponse* response) override {
    return state_.serve(*context, "ValidateConfig", [&] {
      const auto& validate = state_.rows.validate;
      *response = validate ? validate(request->config_yaml()) : state_.rows.validation;
      return grpc::Status::OK;
    });
  }

  grpc::Status PreviewSearch(Context* context, const v1::PreviewSearchRequest*,
                             v1::PreviewSearchResponse* response) override {
    return state_.serve(*context, "PreviewSearch", [&] {
      *response = state_.rows.preview;
      return grpc::Status::OK;
    });
  }

  grpc::Status CreateExperiment(Context* context, const v1::CreateExperimentRequest* request,
                                v1::CreateExperimentResponse* response) override {
    {
      const std::lock_guard lock(state_.mutex);
      state_.creations.push_back(*request);
    }
    return state_.serve(*context, "CreateExperiment", [&] {
      auto& rows = state_.rows.experiments;
      const std::int64_t id = rows.empty() ? 1 : rows.rbegin()->first + 1;
      state_.rows.add_experiment(id, "submitted").set_config_yaml(request->config_yaml());
      response->set_experiment_id(id);
      return grpc::Status::OK;
    });
  }

  // Newest first, by pages whose token is the last id.
  grpc::Status ListExperiments(Context* context, const v1::ListExperimentsRequest* request,
                               v1::ListExperimentsResponse* response) override {
    return state_.serve(*context, "ListExperiments", [&] {
      const int size = request->page().size() > 0 ? request->page().size() : 100;
      const std::string& token = request->page().token();
      const auto& rows = state_.rows.experiments;
      auto it = std::make_reverse_iterator(token.empty() ? rows.end()
                                                         : rows.lower_bound(std::stoll(token)));
      for (; it != rows.rend() && response->experiments_size() < size; ++it) {
        if (it->second.archived() && !request->archived()) continue;
        v1::Experiment& listed = *response->add_experiments() = it->second;
        listed.clear_config_json();
        listed.clear_config_yaml();
      }
      if (it != rows.rend()) {
        const auto& listed = response->experiments();
        response->set_next_page_token(std::to_string(listed[listed.size() - 1].id()));
      }
      return grpc::Status::OK;
    });
  }

  grpc::Status GetExperiment(Context* context, const v1::GetExperimentRequest* request,
                             v1::GetExperimentResponse* response) override {
    return state_.serve(*context, "GetExperiment", [&] {
      const auto found = state_.rows.experiments.find(request->id());
      if (found == state_.rows.experiments.end()) return missing("experiment", request->id());
      *response->mutable_experiment() = found->second;
      return grpc::Status::OK;
    });
  }

  grpc::Status ChangeExperiments(Context* context, const v1::ChangeExperimentsRequest* request,
                                 v1::ChangeExperimentsResponse* response) override {
    return state_.serve(*context, "ChangeExperiments", [&] {
      state_.changes.push_back(*request);
      for (const std::int64_t id : request->ids()) {
        change(id, request->verb(), *response->add_results());
      }
      return grpc::Status::OK;
    });
  }

  grpc::Status EditExperiment(Context* context, const v1::EditExperimentRequest* request,
                              v1::EditExperimentResponse*) override {
    return state_.serve(*context, "EditExperiment", [&] {
      const auto found = state_.rows.experiments.find(request->id());
      if (found == state_.rows.experiments.end()) return missing("experiment", request->id());
      if (request->has_priority()) found->second.set_priority(request->priority());
      if (request->has_weight()) found->second.set_weight(request->weight());
      if (request->has_max_slots()) found->second.set_max_slots(request->max_slots());
      return grpc::Status::OK;
    });
  }

  grpc::Status ContinueExperiment(Context* context, const v1::ContinueExperimentRequest* request,
                                  v1::ContinueExperimentResponse* response) override {
    return state_.serve(*context, "ContinueExperiment", [&] {
      const auto found = state_.rows.experiments.find(request->id());
      if (found == state_.rows.experiments.end()) return missing("experiment", request->id());
      for (const std::string& text : request->overrides()) {
        if (text.find('=') == std::string::npos) {
          return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, text + " is not KEY=VALUE");
        }
      }
      state_.continuations.push_back(*request);
      found->second.set_state("ACTIVE");
      found->second.set_archived(false);
      *response->mutable_trial_ids() = request->trial_ids();
      return grpc::Status::OK;
    });
  }

  grpc::Status GetSearch(Context* context, const v1::GetSearchRequest* request,
                         v1::GetSearchResponse* response) override {
    return state_.serve(*context, "GetSearch", [&] {
      *response = state_.rows.searches[request->experiment_id()];
      return grpc::Status::OK;
    });
  }

 private:
  void change(std::int64_t id, v1::ExperimentVerb verb, v1::ChangeResult& result) {
    result.set_id(id);
    const auto found = state_.rows.experiments.find(id);
    if (found == state_.rows.experiments.end()) {
      result.mutable_error()->set_code(grpc::StatusCode::NOT_FOUND);
      result.mutable_error()->set_message("experiment " + std::to_string(id) + " does not exist");
      return;
    }
    v1::Experiment& row = found->second;
    const bool archives = verb == v1::EXPERIMENT_VERB_ARCHIVE;
    if (archives || verb == v1::EXPERIMENT_VERB_UNARCHIVE) {
      row.set_archived(archives);
    } else {
      row.set_state(state_after(verb));
    }
    result.set_state(row.state());
  }

  static const char* state_after(v1::ExperimentVerb verb) {
    switch (verb) {
      case v1::EXPERIMENT_VERB_PAUSE: return "PAUSED";
      case v1::EXPERIMENT_VERB_ACTIVATE: return "ACTIVE";
      case v1::EXPERIMENT_VERB_CANCEL: return "STOPPING_CANCELED";
      case v1::EXPERIMENT_VERB_KILL: return "STOPPING_KILLED";
      case v1::EXPERIMENT_VERB_DELETE: return "DELETING";
      default: return "";
    }
  }

  FakeMaster::State& state_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_fake_experiments(FakeMaster::State& state) {
  return std::make_unique<Experiments>(state);
}

}  // namespace dt::gui
