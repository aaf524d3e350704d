// What the agent tells a shim, one JSON line each (the shim's half of the agent's relay):
//   {"op":"start","ranks":[{"rank":0,"local_rank":0,"argv":[…],"env":{…},"cwd":"…"}],
//    "env":{…},                                               of all ranks; a rank's own wins
//    "environment":{"variables":[…]}}                         environment: recorded, may be absent
//   {"op":"preempt","left_ms":n}  {"op":"stop"}  {"op":"kill"}
//   {"op":"lease","checkpoint_at_ms":n,"deadline_ms":n}       CLOCK_BOOTTIME; absent or null: never
// All may be repeated. Pure.
#pragma once

#include <map>
#include <string_view>
#include <variant>

#include "base/status.h"
#include "core/agent/shim.h"
#include "shim/spec.h"

namespace dt::shim {

struct StartOrder {
  std::map<int, Command> commands;  // by rank
  Value environment;
};
using ControlOrder = std::variant<StartOrder, core::shim::Event>;

Result<ControlOrder> parse_control_line(std::string_view line, const Spec& spec);

}  // namespace dt::shim
