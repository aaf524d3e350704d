#include "master/rpc/agent_orders.h"

namespace dt::master {
namespace {

Result<core::AgentState> state_of(const std::string& text) {
  using enum core::AgentState;
  for (const core::AgentState state : {enabled, draining, disabled}) {
    if (text == core::to_text(state)) return state;
  }
  return invalid_argument("admission: \"", text, "\" is not known")
      .with_detail({.subject = "admission",
                    .value = text,
                    .hint = "enabled, draining or disabled",
                    .path = "admission"});
}

}  // namespace

Status set_agent_state(const Services& services, const Caller& caller,
                       const v1::SetAgentStateRequest& request,
                       v1::SetAgentStateResponse& response) {
  const core::AgentState state = TRY(state_of(request.admission()));
  const Value reply = TRY(services.loop.ask([&](core::ReplyToken token) {
    return core::AgentStateOrdered{
        .request = {.request_id = request.request_id(),
                    .user = caller.user,
                    .digest = cat(request.id(), ' ', request.admission()),
                    .token = token},
        .agent = {request.id()},
        .state = state};
  }));
  response.set_withdrawn(static_cast<int>(reply["withdrawn"].as_int()));
  return {};
}

Status set_slots(const Services& services, const Caller& caller, const v1::SetSlotsRequest& request,
                 v1::SetSlotsResponse& response) {
  std::string digest = cat(request.agent_id(), ' ', request.enabled(), request.drain());
  for (const std::string& slot : request.slot_ids()) digest += cat(' ', slot);
  const Value reply = TRY(services.loop.ask([&](core::ReplyToken token) {
    return core::SlotsOrdered{.request = {.request_id = request.request_id(),
                                          .user = caller.user,
                                          .digest = digest,
                                          .token = token},
                              .agent = {request.agent_id()},
                              .slots = {request.slot_ids().begin(), request.slot_ids().end()},
                              .enabled = request.enabled(),
                              .drain = request.drain()};
  }));
  response.set_withdrawn(static_cast<int>(reply["withdrawn"].as_int()));
  return {};
}

}  // namespace dt::master
