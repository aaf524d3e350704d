#include "core/master/agent_state.h"

#include <algorithm>

#include "core/master/allocations.h"

namespace dt::core {
namespace {

Result<AgentId> known(Step& step, const AgentId& agent) {
  if (step.book.find(agent) != nullptr) return agent;
  return not_found("agent ", agent, " does not exist").with_hint("dtctl agent list");
}

template <class IsMeant>
int withdraw_from(Step& step, const AgentId& agent, const IsMeant& is_meant) {
  int withdrawn = 0;
  for (const auto& [id, memory] : step.book.allocations) {
    const AllocationRow& row = memory.row;
    const bool meant = std::any_of(row.nodes.begin(), row.nodes.end(), [&](const auto& node) {
      return node.agent == agent && !node.released && is_meant(node);
    });
    if (!meant || !is_attempt_open(step.book, id)) continue;
    withdraw(step, id);
    ++withdrawn;
  }
  return withdrawn;
}

Status check_slots(const AgentRow& agent, const std::vector<std::string>& slots) {
  for (const std::string& slot : slots) {
    const bool has = std::any_of(agent.slots.begin(), agent.slots.end(),
                                 [&](const Slot& one) { return one.id == slot; });
    // One that is gone may be enabled, so that it is not remembered for ever.
    const bool was = std::find(agent.disabled_slots.begin(), agent.disabled_slots.end(), slot) !=
                     agent.disabled_slots.end();
    if (has || was) continue;
    std::string known;
    for (const Slot& one : agent.slots) known += cat(known.empty() ? "" : ", ", one.id);
    return not_found("agent ", agent.name, " has no slot ", slot).with_hint(cat("it has ", known));
  }
  return {};
}

}  // namespace

bool is_enabled(const AgentRow& agent, const std::string& slot_id) {
  return !std::binary_search(agent.disabled_slots.begin(), agent.disabled_slots.end(), slot_id);
}

Result<Value> set_agent_state(Step& step, const AgentStateOrdered& event) {
  TRY(known(step, event.agent));
  if (step.book.find(event.agent)->row.state != event.state) {
    step.book.edit(event.agent).state = event.state;
    step.book.must_schedule(step.book.find(event.agent)->row.pool);
  }
  const bool go = event.state == AgentState::disabled;
  const int withdrawn = go ? withdraw_from(step, event.agent, [](const auto&) { return true; }) : 0;
  return Value(Value::Object{{"withdrawn", withdrawn}});
}

Result<Value> set_slots_enabled(Step& step, const SlotsOrdered& event) {
  TRY(known(step, event.agent));
  const AgentRow& agent = step.book.find(event.agent)->row;
  TRY(check_slots(agent, event.slots));
  std::vector<std::string> disabled = agent.disabled_slots;
  for (const std::string& slot : event.slots) {
    std::erase(disabled, slot);
    if (!event.enabled) disabled.push_back(slot);
  }
  std::sort(disabled.begin(), disabled.end());
  if (disabled != agent.disabled_slots) {
    step.book.edit(event.agent).disabled_slots = std::move(disabled);
    step.book.must_schedule(step.book.find(event.agent)->row.pool);
  }
  int withdrawn = 0;
  if (!event.enabled && !event.drain) {
    withdrawn = withdraw_from(step, event.agent, [&](const AllocationNode& node) {
      return std::any_of(node.slot_ids.begin(), node.slot_ids.end(),
                         [&](const std::string& slot) { return !is_enabled(agent, slot); });
    });
  }
  return Value(Value::Object{{"withdrawn", withdrawn}});
}

}  // namespace dt::core
