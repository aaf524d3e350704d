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

  grpc::Status ChangeExperiment(Context* context, const v1::ChangeExperimentRequest* request,
                                v1::ChangeExperimentResponse* response) override {
    return state_.serve(*context, "ChangeExperiment", [&] {
      const auto found = state_.rows.experiments.find(request->id());
      if (found == state_.rows.experiments.end()) return missing("experiment", request->id());
      state_.changes.push_back(*request);
      found->second.set_state(state_after(request->verb()));
      response->set_state(found->second.state());
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
  static const char* state_after(v1::ExperimentVerb verb) {
    switch (verb) {
      case v1::EXPERIMENT_VERB_PAUSE: return "PAUSED";
      case v1::EXPERIMENT_VERB_ACTIVATE: return "ACTIVE";
      case v1::EXPERIMENT_VERB_CANCEL: return "STOPPING_CANCELED";
      case v1::EXPERIMENT_VERB_KILL: return "STOPPING_KILLED";
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
