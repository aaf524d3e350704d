// Administration: the master itself, logging in, agents and their slots.
#include "base/version.h"
#include "dovetail/v1/admin.grpc.pb.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

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
    return to_grpc(login(*request, *response));
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

 private:
  Status login(const v1::LoginRequest& request, v1::LoginResponse& response) {
    const Result<std::string> hash = services_.store.password_hash(request.user());
    if (!hash.ok() && hash.status().code() != Code::not_found) return hash.status();
    if (!hash.ok() || hash->empty() || !password_matches(*hash, request.password())) {
      return unauthenticated("user and password do not match").with_hint("or log in with a token");
    }
    const std::string token = make_token();
    TRY(services_.store.put_token(token_hash(token), request.user()));
    response.set_token(token);
    return {};
  }

  Status list_agents(v1::ListAgentsResponse& response) {
    struct Holder {
      AllocationId allocation;
      TrialId trial;
    };
    std::map<std::pair<AgentId, std::string>, Holder> held;
    for (const core::AllocationRow& allocation : TRY(services_.store.live_allocations())) {
      for (const core::AllocationNode& node : allocation.nodes) {
        if (node.released) continue;
        for (const std::string& slot : node.slot_ids) {
          held[{node.agent, slot}] = {allocation.id, allocation.trial};
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
      for (const core::Slot& slot : agent.slots) {
        v1::SlotInfo* out = info->add_slots();
        out->set_id(slot.id);
        out->set_kind(slot.kind == core::SlotKind::cpu ? "cpu" : "cuda");
        out->set_device(slot.device);
        const auto holder = held.find({agent.id, slot.id});
        if (holder == held.end()) continue;
        out->set_allocation_id(to_text(holder->second.allocation));
        out->set_trial_id(holder->second.trial.value);
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
