// Agents: sessions, the order of their words, and how long a silence is waited for (DESIGN §4,
// Lease and Identity).
#pragma once

#include "core/master/book.h"

namespace dt::core {

// What is wrong with an agent that comes back with another pool or other slots.
Status check_unchanged(const AgentRow& known, const AgentHello& hello);

void join_agent(Step& step, const AgentJoined& event);
void hear_agent(Step& step, const AgentSpoke& event);
void disconnect_agent(Step& step, const AgentDisconnected& event);
Result<Value> forget_agent(Step& step, const AgentForgotten& event);

// When this agent's silence has lasted too long.
Time give_up_time(const Book& book, const AgentMemory& agent);
void give_up_silent_agents(Step& step);

}  // namespace dt::core
