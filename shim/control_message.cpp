#include "shim/control_message.h"

#include "formats/json.h"

namespace dt::shim {
namespace {

// What all ranks share is said once, for a line holds 1 MiB; a rank's own value wins.
Value with_shared_env(Value rank, const Value& shared) {
  if (!shared.is_object()) return rank;
  Value env = shared;
  if (rank["env"].is_object()) {
    for (const auto& [name, value] : rank["env"].as_object()) env.set(name, value);
  }
  rank.set("env", std::move(env));
  return rank;
}

Result<ControlOrder> start_of(const Value& message, const Spec& spec) {
  StartOrder order{.environment = message["environment"]};
  const Value& ranks = message["ranks"];
  if (!ranks.is_array()) return invalid_argument("start: ranks must be a list");
  for (const Value& one : ranks.as_array()) {
    if (!one["rank"].is_int()) return invalid_argument("start: rank must be an integer");
    const int rank = static_cast<int>(one["rank"].as_int());
    auto command = command_from(with_shared_env(one, message["env"]), spec);
    if (!command.ok()) {
      return Status(command.status()).with_context(cat("start: rank ", rank));
    }
    order.commands[rank] = std::move(command).value();
  }
  for (const int rank : spec.ranks) {
    if (!order.commands.contains(rank)) {
      return invalid_argument("start: the command of rank ", rank, " is missing");
    }
  }
  return ControlOrder(std::move(order));
}

Time time_of(const Value& ms) { return ms.is_int() ? from_ms(ms.as_int()) : never; }

}  // namespace

Result<ControlOrder> parse_control_line(std::string_view line, const Spec& spec) {
  const Value message = TRY(parse_json(line));
  const std::string op = message["op"].is_string() ? message["op"].as_string() : "";
  if (op == "start") return start_of(message, spec);
  if (op == "stop") return ControlOrder(core::shim::StopOrdered{});
  if (op == "kill") return ControlOrder(core::shim::KillOrdered{});
  if (op == "preempt") {
    if (!message["left_ms"].is_int()) return invalid_argument("preempt: left_ms is missing");
    return ControlOrder(core::shim::PreemptOrdered{Duration(message["left_ms"].as_int())});
  }
  if (op == "lease") {
    return ControlOrder(core::shim::LeaseExtended{time_of(message["checkpoint_at_ms"]),
                                                  time_of(message["deadline_ms"])});
  }
  return invalid_argument("op ", to_json(message["op"]),
                          " is unknown; there are start, preempt, stop, kill and lease");
}

}  // namespace dt::shim
