#include "core/agent/messages.h"

#include <array>

namespace dt::core {

namespace {

constexpr std::array order_names{"prepare", "start", "run", "preempt", "stop", "kill"};
constexpr std::array phase_names{"preparing", "ready", "running", "ended", "lost"};
constexpr std::array slot_kind_names{"cpu", "cuda"};

template <class Enum, std::size_t size>
bool parse_name(const std::array<const char*, size>& names, const std::string& text, Enum& out) {
  for (std::size_t i = 0; i < size; ++i) {
    if (text != names[i]) continue;
    out = static_cast<Enum>(i);
    return true;
  }
  return false;
}

}  // namespace

const char* to_text(Order order) { return order_names[static_cast<std::size_t>(order)]; }
const char* to_text(AllocationPhase phase) { return phase_names[static_cast<std::size_t>(phase)]; }
const char* to_text(SlotKind kind) { return slot_kind_names[static_cast<std::size_t>(kind)]; }

bool parse_order(const std::string& text, Order& order) {
  return parse_name(order_names, text, order);
}
bool parse_phase(const std::string& text, AllocationPhase& phase) {
  return parse_name(phase_names, text, phase);
}
bool parse_slot_kind(const std::string& text, SlotKind& kind) {
  return parse_name(slot_kind_names, text, kind);
}

}  // namespace dt::core
