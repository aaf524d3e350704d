#include "master/store/row_values.h"

#include "formats/json.h"
#include "formats/utf8.h"

namespace dt::master {

using core::AllocationNode;
using core::AllocationPhase;
using core::CheckpointFile;
using core::RankExit;
using core::Slot;

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

int int_of(const Value& value) { return static_cast<int>(value.as_int()); }

RankExit exit_of(const Value& value) {
  RankExit exit;
  if (!core::exit_from(value, exit)) unreadable("exit of a rank", to_json(value));
  return exit;
}

template <class Item, class Convert>
Value list_of(const std::vector<Item>& items, Convert convert) {
  Value::Array list;
  for (const Item& item : items) list.push_back(convert(item));
  return Value(std::move(list));
}

template <class Convert>
auto items_of(const Value& list, Convert convert) {
  std::vector<decltype(convert(list))> items;
  for (const Value& item : list.as_array()) items.push_back(convert(item));
  return items;
}

Value node_to_value(const AllocationNode& node) {
  return Value(Value::Object{
      {"agent", node.agent.value},
      {"node_rank", node.node_rank},
      {"first_rank", node.first_rank},
      {"slot_ids", texts_to_value(node.slot_ids)},
      {"phase", core::to_text(node.phase)},
      {"address", node.address},
      {"port", node.port},
      {"exits", list_of(node.exits, [](const RankExit& exit) { return core::to_value(exit); })},
      {"exits_read", integers_to_value(node.exits_read)},
      {"failure", node.failure},
      {"infrastructure", node.infrastructure},
      {"released", node.released},
      {"given_up", node.given_up}});
}

AllocationPhase phase_of(const std::string& text) {
  return enum_of(text, {AllocationPhase::preparing, AllocationPhase::ready,
                        AllocationPhase::running, AllocationPhase::ended, AllocationPhase::lost});
}

AllocationNode node_of(const Value& value) {
  return {.agent = {value["agent"].as_string()},
          .node_rank = int_of(value["node_rank"]),
          .first_rank = int_of(value["first_rank"]),
          .slot_ids = items_of(value["slot_ids"], [](const Value& id) { return id.as_string(); }),
          .phase = phase_of(value["phase"].as_string()),
          .address = value["address"].as_string(),
          .port = int_of(value["port"]),
          .exits = items_of(value["exits"], exit_of),
          .exits_read = items_of(value["exits_read"], int_of),
          .failure = value["failure"].as_string(),
          .infrastructure = value["infrastructure"].as_bool(),
          .released = value["released"].as_bool(),
          .given_up = value["given_up"].as_bool()};
}

}  // namespace

void unreadable(const std::string& what, std::string_view text) {
  throw pqxx::conversion_error(cat("stored ", what, " is not readable: ", text.substr(0, 80)));
}

std::string storable(const std::string& text) {
  std::string out = with_valid_utf8(text);
  for (std::size_t place = 0; (place = out.find('\0', place)) != std::string::npos;) {
    out.replace(place, 1, replacement);
  }
  return out;
}

Value json_value(const Value& value) { return Value(to_json(value)); }

Value stored_json(std::string_view text) {
  Result<Value> value = parse_json(text);
  if (!value.ok()) unreadable("JSON", text);
  return std::move(value).value();
}

Value nodes_to_value(const std::vector<AllocationNode>& nodes) {
  return list_of(nodes, node_to_value);
}
std::vector<AllocationNode> nodes_of(const Value& value) { return items_of(value, node_of); }

Value slots_to_value(const std::vector<Slot>& slots) {
  return list_of(slots, [](const Slot& slot) {
    return Value(Value::Object{{"id", slot.id},
                               {"kind", slot.kind == core::SlotKind::cuda ? "cuda" : "cpu"},
                               {"device", slot.device},
                               {"fault", slot.fault}});
  });
}

std::vector<Slot> slots_of(const Value& value) {
  return items_of(value, [](const Value& slot) {
    const bool cuda = slot["kind"].as_string() == "cuda";
    return Slot{.id = slot["id"].as_string(),
                .kind = cuda ? core::SlotKind::cuda : core::SlotKind::cpu,
                .device = slot["device"].as_string(),
                .fault = slot["fault"].is_string() ? slot["fault"].as_string() : ""};
  });
}

Value files_to_value(const std::vector<CheckpointFile>& files) {
  return list_of(files, [](const CheckpointFile& file) {
    return Value(
        Value::Object{{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  });
}

std::vector<CheckpointFile> files_of(const Value& value) {
  return items_of(value, [](const Value& file) {
    return CheckpointFile{.path = file["path"].as_string(),
                          .bytes = file["bytes"].as_int(),
                          .sha256 = file["sha256"].as_string()};
  });
}

Value integers_to_value(const std::vector<int>& numbers) {
  return list_of(numbers, [](int number) { return Value(number); });
}

Value texts_to_value(const std::vector<std::string>& texts) {
  return list_of(texts, [](const std::string& text) { return Value(text); });
}
std::vector<std::string> texts_of(const Value& value) {
  return items_of(value, [](const Value& text) { return text.as_string(); });
}

Value agents_to_value(const std::vector<AgentId>& agents) {
  return list_of(agents, [](const AgentId& agent) { return Value(agent.value); });
}
std::vector<AgentId> agents_of(const Value& value) {
  return items_of(value, [](const Value& text) { return AgentId{text.as_string()}; });
}

core::ExperimentState experiment_state_of(const std::string& text) {
  using enum core::ExperimentState;
  return enum_of(
      text, {active, paused, stopping_canceled, stopping_killed, stopping_completed, stopping_error,
             canceled, completed, error, deleting, delete_failed, deleted});
}

core::TrialState trial_state_of(const std::string& text) {
  using enum core::TrialState;
  return enum_of(text, {active, paused, stopping_canceled, stopping_killed, stopping_completed,
                        stopping_error, canceled, completed, error});
}

core::AllocationState allocation_state_of(const std::string& text) {
  using enum core::AllocationState;
  return enum_of(text, {preparing, starting, running, settling, ended});
}

core::CheckpointState checkpoint_state_of(const std::string& text) {
  using enum core::CheckpointState;
  return enum_of(text, {pending, stored, deleted, abandoned});
}

core::AgentState agent_state_of(const std::string& text) {
  using enum core::AgentState;
  return enum_of(text, {enabled, draining, disabled});
}

core::Order order_of(const std::string& text) {
  using enum core::Order;
  return enum_of(text, {prepare, start, run, preempt, stop, kill});
}

core::RecordKind record_kind_of(const std::string& text) {
  core::RecordKind kind{};
  if (!core::parse_record_kind(text, kind)) unreadable("record kind", text);
  return kind;
}

double double_of(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end) unreadable("number", text);
  return number;
}

}  // namespace dt::master
