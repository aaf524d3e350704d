// What people order of agents and slots: enable, drain (what runs may end, nothing comes) or
// disable (what runs is asked to checkpoint and go). It outlives restarts of the agent and of the
// master.
#pragma once

#include "core/master/book.h"

namespace dt::core {

Result<Value> set_agent_state(Step& step, const AgentStateOrdered& event);
Result<Value> set_slots_enabled(Step& step, const SlotsOrdered& event);

bool is_enabled(const AgentRow& agent, const std::string& slot_id);

}  // namespace dt::core
