#include "core/agent/messages.h"

#include <array>
#include <charconv>

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

bool parse_number(const char* begin, const char* end, std::int64_t& out) {
  const auto [stop, problem] = std::from_chars(begin, end, out);
  return problem == std::errc() && stop == end && out >= 0;
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

bool parse_allocation_id(const std::string& text, AllocationId& id) {
  const std::size_t point = text.find('.');
  if (point == text.npos) return false;
  const char* begin = text.data();
  return parse_number(begin, begin + point, id.epoch) &&
         parse_number(begin + point + 1, begin + text.size(), id.number);
}

Value to_value(const RankExit& exit) {
  return Value::Object{{"rank", exit.rank},
                       {"code", exit.code},
                       {"signal", exit.signal},
                       {"ordered", to_text(exit.ordered)},
                       {"seq", exit.seq},
                       {"out_of_memory", exit.out_of_memory}};
}

bool exit_from(const Value& value, RankExit& exit) {
  for (const char* name : {"rank", "code", "signal", "seq"}) {
    if (!value[name].is_int()) return false;
  }
  exit.rank = static_cast<int>(value["rank"].as_int());
  exit.code = static_cast<int>(value["code"].as_int());
  exit.signal = static_cast<int>(value["signal"].as_int());
  exit.seq = value["seq"].as_int();
  exit.out_of_memory = value["out_of_memory"].is_bool() && value["out_of_memory"].as_bool();
  return value["ordered"].is_string() && parse_order(value["ordered"].as_string(), exit.ordered);
}

Value to_value(const AllocationStatus& status) {
  Value::Array exits;
  for (const RankExit& exit : status.exits) exits.push_back(to_value(exit));
  return Value::Object{{"allocation", to_text(status.allocation)},
                       {"phase", to_text(status.phase)},
                       {"address", status.address},
                       {"port", status.port},
                       {"exits", std::move(exits)},
                       {"failure", status.failure},
                       {"infrastructure", status.infrastructure}};
}

bool status_from(const Value& value, AllocationStatus& status) {
  const bool complete = value["allocation"].is_string() && value["phase"].is_string() &&
                        value["address"].is_string() && value["port"].is_int() &&
                        value["exits"].is_array() && value["failure"].is_string() &&
                        value["infrastructure"].is_bool();
  if (!complete) return false;
  status.address = value["address"].as_string();
  status.port = static_cast<int>(value["port"].as_int());
  status.failure = value["failure"].as_string();
  status.infrastructure = value["infrastructure"].as_bool();
  status.exits.clear();
  for (const Value& one : value["exits"].as_array()) {
    if (!exit_from(one, status.exits.emplace_back())) return false;
  }
  return parse_allocation_id(value["allocation"].as_string(), status.allocation) &&
         parse_phase(value["phase"].as_string(), status.phase);
}

}  // namespace dt::core
