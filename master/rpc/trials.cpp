// Trials: lists, one with its attempts and checkpoints, and the environment its ranks were given.
#include "dovetail/v1/trial.grpc.pb.h"
#include "master/provenance.h"
#include "master/rpc/filter.h"
#include "master/rpc/page.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

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

  grpc::Status GetTrialProvenance(grpc::ServerContext* context,
                                  const v1::GetTrialProvenanceRequest* request,
                                  v1::GetTrialProvenanceResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return provenance(*request, *response); });
  }

 private:
  Status list(const v1::ListTrialsRequest& request, v1::ListTrialsResponse& response) {
    const auto experiment = TRY(services_.store.experiment({request.experiment_id()}));
    const core::Filter filter = TRY(read_filter(request.filter(), core::FilterRows::trials));
    const int size = TRY(page_size(request.page()));
    const std::int64_t after = TRY(page_after(request.page(), -1));
    const auto rows = TRY(matching(experiment, filter, static_cast<int>(after), size + 1));
    const auto queue = services_.loop.queue();
    for (const core::TrialRow& row : rows) {
      if (response.trials_size() == size) {
        response.set_next_page_token(std::to_string(response.trials(size - 1).number()));
        break;
      }
      *response.add_trials() = to_wire(row, queue->why_waiting(row.id));
    }
    return {};
  }

  // At most `most` trials that pass, with numbers after `after`.
  Result<std::vector<core::TrialRow>> matching(const core::ExperimentRow& experiment,
                                               const core::Filter& filter, int after, int most) {
    const int chunk = rows_to_read(filter, most);
    std::vector<core::TrialRow> found;
    for (;;) {
      auto rows = TRY(services_.store.list_trials(
          {.experiment = experiment.id, .after_number = after, .limit = chunk}));
      const bool is_last = static_cast<int>(rows.size()) < chunk;
      for (core::TrialRow& row : rows) {
        after = row.number;
        const bool passes =
            passes_all(filter) || core::matches(filter, core::filter_values(row, experiment));
        if (passes) found.push_back(std::move(row));
        if (static_cast<int>(found.size()) == most) return found;
      }
      if (is_last) return found;
    }
  }

  Status get(const v1::GetTrialRequest& request, v1::GetTrialResponse& response) {
    const core::TrialRow row = TRY(services_.store.trial({request.id()}));
    *response.mutable_trial() = to_wire(row, services_.loop.queue()->why_waiting(row.id));
    const std::map<AgentId, std::string> names = TRY(agent_names());
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

  Status provenance(const v1::GetTrialProvenanceRequest& request,
                    v1::GetTrialProvenanceResponse& response) {
    const core::TrialRow row = TRY(services_.store.trial({request.id()}));
    const TrialFacts facts{.experiment = TRY(services_.store.experiment(row.experiment)),
                           .provenance = TRY(services_.store.provenance(row.experiment)),
                           .run = TRY(services_.store.run_records(row.id, request.attempt())),
                           .agent_names = TRY(agent_names())};
    response.set_attempt(facts.run.attempt);
    for (v1::Fact& fact : facts_of(facts)) *response.add_facts() = std::move(fact);
    return {};
  }

  Result<std::map<AgentId, std::string>> agent_names() {
    std::map<AgentId, std::string> names;
    for (const core::AgentRow& agent : TRY(services_.store.list_agents())) {
      names[agent.id] = agent.name;
    }
    return names;
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_trials_service(const Services& services) {
  return std::make_unique<TrialsService>(services);
}

}  // namespace dt::master
