// The Admin and Jobs services of a FakeMaster.
#include "tests/unit/gui/fake_master_state.h"

namespace dt::gui {
namespace {

namespace v1 = ::dovetail::v1;
using Context = grpc::ServerContext;

class Admin final : public v1::Admin::Service {
 public:
  explicit Admin(FakeMaster::State& state) : state_(state) {}

  // The only call that looks at the token here.
  grpc::Status GetMaster(Context* context, const v1::GetMasterRequest*,
                         v1::GetMasterResponse* response) override {
    return state_.serve(*context, "GetMaster", [&] {
      const auto& metadata = context->client_metadata();
      const auto token = metadata.find("authorization");
      if (token == metadata.end() || token->second != "Bearer secret") {
        return grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "the token is not known");
      }
      response->set_version("0.1.0");
      response->set_cluster_id("5f0c");
      response->set_user("ann");
      return grpc::Status::OK;
    });
  }

  grpc::Status ListAgents(Context* context, const v1::ListAgentsRequest*,
                          v1::ListAgentsResponse* response) override {
    return state_.serve(*context, "ListAgents", [&] {
      for (const v1::AgentInfo& agent : state_.rows.agents) *response->add_agents() = agent;
      return grpc::Status::OK;
    });
  }

  grpc::Status SetAgentState(Context* context, const v1::SetAgentStateRequest* request,
                             v1::SetAgentStateResponse* response) override {
    return state_.serve(*context, "SetAgentState", [&] {
      for (v1::AgentInfo& agent : state_.rows.agents) {
        if (agent.id() != request->id()) continue;
        agent.set_admission(request->admission());
        if (request->admission() == "disabled") response->set_withdrawn(2);
      }
      return grpc::Status::OK;
    });
  }

  grpc::Status SetSlots(Context* context, const v1::SetSlotsRequest* request,
                        v1::SetSlotsResponse*) override {
    return state_.serve(*context, "SetSlots", [&] {
      for (v1::AgentInfo& agent : state_.rows.agents) {
        if (agent.id() != request->agent_id()) continue;
        for (v1::SlotInfo& slot : *agent.mutable_slots()) {
          if (slot.id() == request->slot_ids(0)) slot.set_disabled(!request->enabled());
        }
      }
      return grpc::Status::OK;
    });
  }

 private:
  FakeMaster::State& state_;
};

class Jobs final : public v1::Jobs::Service {
 public:
  explicit Jobs(FakeMaster::State& state) : state_(state) {}

  grpc::Status ListJobs(Context* context, const v1::ListJobsRequest*,
                        v1::ListJobsResponse* response) override {
    return state_.serve(*context, "ListJobs", [&] {
      for (const v1::Job& job : state_.rows.jobs) *response->add_jobs() = job;
      return grpc::Status::OK;
    });
  }

  grpc::Status ExplainJob(Context* context, const v1::ExplainJobRequest* request,
                          v1::ExplainJobResponse* response) override {
    return state_.serve(*context, "ExplainJob", [&] {
      *response = state_.rows.explanations[request->experiment_id()];
      return grpc::Status::OK;
    });
  }

 private:
  FakeMaster::State& state_;
};

}  // namespace

std::vector<std::unique_ptr<grpc::Service>> make_fake_cluster(FakeMaster::State& state) {
  std::vector<std::unique_ptr<grpc::Service>> services;
  services.push_back(std::make_unique<Admin>(state));
  services.push_back(std::make_unique<Jobs>(state));
  return services;
}

}  // namespace dt::gui
