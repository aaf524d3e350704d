// Trials: lists, one with its attempts and checkpoints, and the environment its ranks were given.
#include <algorithm>
#include <cstdlib>

#include "dovetail/v1/trial.grpc.pb.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

constexpr int page_size_default = 100;
constexpr int page_size_max = 1000;

class TrialsService final : public v1::Trials::Service {
 public:
  explicit TrialsService(const Services& services) : services_(services) {}

  grpc::Status ListTrials(grpc::ServerContext* context, const v1::ListTrialsRequest* request,
                          v1::ListTrialsResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return list(*request, *response); });
  }

  grpc::Status GetTrial(grpc::ServerContext* context, const v1::GetTrialRequest* request,
                        v1::GetTrialResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return get(*request, *response); });
  }

  grpc::Status GetTrialEnvironment(grpc::ServerContext* context,
                                   const v1::GetTrialEnvironmentRequest* request,
                                   v1::GetTrialEnvironmentResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return environment(*request, *response); });
  }

 private:
  Status list(const v1::ListTrialsRequest& request, v1::ListTrialsResponse& response) {
    TRY(services_.store.experiment({request.experiment_id()}));
    const int size = request.page().size() > 0 ? std::min(request.page().size(), page_size_max)
                                               : page_size_default;
    const std::string& token = request.page().token();
    const auto rows = TRY(services_.store.list_trials(
        {.experiment = {request.experiment_id()},
         .after_number = token.empty() ? -1 : std::atoi(token.c_str()),
         .limit = size + 1}));
    for (const core::TrialRow& row : rows) {
      if (response.trials_size() == size) {
        response.set_next_page_token(std::to_string(response.trials(size - 1).number()));
        break;
      }
      *response.add_trials() = to_wire(row, services_.loop.why_waiting(row.id));
    }
    return {};
  }

  Status get(const v1::GetTrialRequest& request, v1::GetTrialResponse& response) {
    const core::TrialRow row = TRY(services_.store.trial({request.id()}));
    *response.mutable_trial() = to_wire(row, services_.loop.why_waiting(row.id));
    std::map<AgentId, std::string> names;
    for (const core::AgentRow& agent : TRY(services_.store.list_agents())) {
      names[agent.id] = agent.name;
    }
    for (const core::AllocationRow& allocation : TRY(services_.store.allocations_of(row.id))) {
      *response.add_attempts() = to_wire(allocation, names);
    }
    for (const core::CheckpointRow& checkpoint : TRY(services_.store.checkpoints_of(row.id))) {
      *response.add_checkpoints() = to_wire(checkpoint);
    }
    return {};
  }

  Status environment(const v1::GetTrialEnvironmentRequest& request,
                     v1::GetTrialEnvironmentResponse& response) {
    const Value found = TRY(
        services_.store.environment({request.id()}, request.attempt(), request.rank()));
    if (!found["variables"].is_array()) return {};
    const auto text = [](const Value& value) { return value.is_string() ? value.as_string() : ""; };
    for (const Value& variable : found["variables"].as_array()) {
      // Where the ranks of a node differ, an entry names its rank.
      const Value& rank = variable["rank"];
      if (rank.is_int() && rank.as_int() != request.rank()) continue;
      v1::EnvironmentVariable* out = response.add_variables();
      out->set_name(text(variable["name"]));
      out->set_value(text(variable["value"]));
      out->set_reason(text(variable["reason"]));
    }
    return {};
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_trials_service(const Services& services) {
  return std::make_unique<TrialsService>(services);
}

}  // namespace dt::master
