// Administration: the master itself, logging in, agents with their slots and tokens.
#include <algorithm>

#include "base/version.h"
#include "dovetail/v1/admin.grpc.pb.h"
#include "master/rpc/agent_orders.h"
#include "master/rpc/own_logs.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

bool is_plain_name(const std::string& name) {
  constexpr const char* plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
  return !name.empty() && name.size() <= 64 && name.find_first_not_of(plain) == name.npos;
}

class AdminService final : public v1::Admin::Service {
 public:
  explicit AdminService(const Services& services) : services_(services) {}

  grpc::Status GetMaster(grpc::ServerContext* context, const v1::GetMasterRequest*,
                         v1::GetMasterResponse* response) override {
    return handle(*context, services_, Right::person_or_agent, [&](const Caller& caller) -> Status {
      const core::ClusterRow cluster = services_.loop.cluster();
      response->set_version(version);
      response->set_cluster_id(cluster.cluster_id);
      response->set_cluster_epoch(cluster.cluster_epoch);
      response->set_batch(services_.loop.batch());
      response->set_http_address(services_.http_address);
      response->set_user(caller.user);
      return {};
    });
  }

  grpc::Status Login(grpc::ServerContext*, const v1::LoginRequest* request,
                     v1::LoginResponse* response) override {
    return reply_of(login(*request, *response));
  }

  grpc::Status ListAgents(grpc::ServerContext* context, const v1::ListAgentsRequest*,
                          v1::ListAgentsResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return list_agents(*response); });
  }

  grpc::Status ForgetAgent(grpc::ServerContext* context, const v1::ForgetAgentRequest* request,
                           v1::ForgetAgentResponse*) override {
    return handle(*context, services_, Right::administrator, [&](const Caller& caller) -> Status {
      TRY(services_.loop.ask([&](core::ReplyToken token) {
        return core::AgentForgotten{.request = {.request_id = request->request_id(),
                                                .user = caller.user,
                                                .digest = request->id(),
                                                .token = token},
                                    .agent = {request->id()}};
      }));
      return {};
    });
  }

  grpc::Status ReadMasterLogs(grpc::ServerContext* context,
                              const v1::ReadMasterLogsRequest* request,
                              grpc::ServerWriter<v1::MasterLogBatch>* writer) override {
    return handle(*context, services_, Right::administrator,
                  [&](const Caller&) { return read_own_log(*context, *request, *writer); });
  }

  grpc::Status SetAgentState(grpc::ServerContext* context, const v1::SetAgentStateRequest* request,
                             v1::SetAgentStateResponse* response) override {
    return handle(*context, services_, Right::administrator, [&](const Caller& caller) {
      return set_agent_state(services_, caller, *request, *response);
    });
  }

  grpc::Status SetSlots(grpc::ServerContext* context, const v1::SetSlotsRequest* request,
                        v1::SetSlotsResponse* response) override {
    return handle(*context, services_, Right::administrator, [&](const Caller& caller) {
      return set_slots(services_, caller, *request, *response);
    });
  }

  grpc::Status CreateAgentToken(grpc::ServerContext* context,
                                const v1::CreateAgentTokenRequest* request,
                                v1::CreateAgentTokenResponse* response) override {
    return handle(*context, services_, Right::administrator, [&](const Caller& caller) {
      return create_agent_token(caller, *request, *response);
    });
  }

 private:
  Status create_agent_token(const Caller& caller, const v1::CreateAgentTokenRequest& request,
                            v1::CreateAgentTokenResponse& response) {
    std::string name = request.name();
    if (name.empty()) {
      const std::string& id = request.request_id();
      name = cat("agent-", token_hash(id.empty() ? make_token() : id).substr(0, 8));
    }
    if (!is_plain_name(name)) {
      return invalid_argument("name: \"", name, "\" is no name for a machine's token")
          .with_detail({.subject = "name",
                        .value = name,
                        .hint = "1 to 64 letters, digits, '.', '-' and '_'",
                        .path = "name"});
    }
    const std::string token = services_.auth.agent_token(caller.user, request.request_id(), name);
    TRY(services_.store.put_token(token_hash(token), agent_user, name));
    response.set_name(name);
    response.set_token(token);
    return {};
  }

  Status login(const v1::LoginRequest& request, v1::LoginResponse& response) {
    const Result<std::string> hash = services_.store.password_hash(request.user());
    if (!hash.ok() && hash.status().code() != Code::not_found) return hash.status();
    if (!hash.ok() || hash->empty() || !password_matches(*hash, request.password())) {
      return unauthenticated("user and password do not match").with_hint("or log in with a token");
    }
    const std::string token = make_token();
    TRY(services_.store.put_token(token_hash(token), request.user(), "login"));
    response.set_token(token);
    return {};
  }

  Status list_agents(v1::ListAgentsResponse& response) {
    struct Holder {
      AllocationId allocation;
      TrialId trial;
      ExperimentId experiment;
    };
    std::map<std::pair<AgentId, std::string>, Holder> held;
    for (const core::AllocationRow& allocation : TRY(services_.store.live_allocations())) {
      for (const core::AllocationNode& node : allocation.nodes) {
        if (node.released) continue;
        for (const std::string& slot : node.slot_ids) {
          held[{node.agent, slot}] = {allocation.id, allocation.trial, allocation.experiment};
        }
      }
    }
    for (const core::AgentRow& agent : TRY(services_.store.list_agents())) {
      v1::AgentInfo* info = response.add_agents();
      info->set_id(agent.id.value);
      info->set_name(agent.name);
      info->set_address(agent.address);
      info->set_pool(agent.pool);
      info->set_state(agent.connected ? "connected" : "silent");
      info->set_version(agent.version);
      info->set_joined_ms(agent.joined_ms);
      info->set_admission(core::to_text(agent.state));
      for (const core::Slot& slot : agent.slots) {
        v1::SlotInfo* out = info->add_slots();
        out->set_id(slot.id);
        out->set_kind(slot.kind == core::SlotKind::cpu ? "cpu" : "cuda");
        out->set_device(slot.device);
        out->set_fault(slot.fault);
        out->set_disabled(std::binary_search(agent.disabled_slots.begin(),
                                             agent.disabled_slots.end(), slot.id));
        const auto holder = held.find({agent.id, slot.id});
        if (holder == held.end()) continue;
        out->set_allocation_id(to_text(holder->second.allocation));
        out->set_trial_id(holder->second.trial.value);
        out->set_experiment_id(holder->second.experiment.value);
      }
    }
    return {};
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_admin_service(const Services& services) {
  return std::make_unique<AdminService>(services);
}

}  // namespace dt::master
