// What administrators order of agents and slots: enable, drain, disable. Any thread.
#pragma once

#include "dovetail/v1/admin.pb.h"
#include "master/rpc/services.h"

namespace dt::master {

Status set_agent_state(const Services& services, const Caller& caller,
                       const v1::SetAgentStateRequest& request,
                       v1::SetAgentStateResponse& response);
Status set_slots(const Services& services, const Caller& caller, const v1::SetSlotsRequest& request,
                 v1::SetSlotsResponse& response);

}  // namespace dt::master
