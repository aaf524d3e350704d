// Attempts of trials on nodes: the two-phase start, the orders, what agents say of them, and their
// end (DESIGN §4). An order only ever rises: prepare, start, run, preempt, stop, kill. Everything
// is level-triggered: agents hear orders from the wanted set (wanted.h), never from here.
#pragma once

#include <string>
#include <vector>

#include "core/master/book.h"
#include "core/sched/request.h"

namespace dt::core {

// Grants the slots and begins to prepare.
void begin_attempt(Step& step, TrialId trial, const std::vector<Placement>& placements);

// The agent's share of each allocation that has one on it, in the order of their ids.
std::vector<const AllocationNode*> nodes_on(const Book& book, const AgentId& agent);

// Not yet judged: some of its processes may live, or some of its records are still to come.
bool is_attempt_open(const Book& book, AllocationId allocation);

void give_order(Step& step, AllocationId allocation, Order order);
// Ends it so that the trial can go on later: preempt, or kill before its ranks run.
void withdraw(Step& step, AllocationId allocation);

// What an agent says of an allocation that we hold on it.
void apply_status(Step& step, const AgentId& agent, const AllocationStatus& status);
// From the inbox: every earlier record of this rank has been read.
void read_exit(Step& step, const InboxRow& inbox);

// The agent is gone for good: its share of every allocation has ended, whatever it held.
void give_up_nodes(Step& step, const AgentId& agent, const std::string& why);
void fail_unready_nodes(Step& step, AllocationId allocation, const std::string& why);

// Moves on what changed in this step, until nothing moves.
void advance_allocations(Step& step);

// All is known: decides what becomes of the trial (settle.cpp).
void settle_attempt(Step& step, AllocationId allocation);

// "agent-uuid" or, where the agent is known, "name (agent-uuid)": for people.
std::string called(const Book& book, const AgentId& agent);

}  // namespace dt::core
