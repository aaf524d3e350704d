// dtctl agent: the nodes, their slots and their tokens.
#include "cli/app.h"
#include "dovetail/v1/admin.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

Value to_value(const v1::AgentInfo& agent) {
  Value::Array slots;
  for (const v1::SlotInfo& slot : agent.slots()) {
    Value value;
    value.set("id", slot.id()).set("kind", slot.kind()).set("device", slot.device());
    value.set("allocation_id",
              slot.allocation_id().empty() ? Value() : Value(slot.allocation_id()));
    value.set("trial_id", slot.trial_id() == 0 ? Value() : Value(slot.trial_id()));
    value.set("experiment_id", slot.experiment_id() == 0 ? Value() : Value(slot.experiment_id()));
    value.set("fault", slot.fault().empty() ? Value() : Value(slot.fault()));
    value.set("disabled", slot.disabled());
    slots.push_back(std::move(value));
  }
  Value value;
  value.set("id", agent.id()).set("name", agent.name()).set("address", agent.address());
  value.set("pool", agent.pool()).set("state", agent.state()).set("version", agent.version());
  value.set("admission", agent.admission());
  value.set("joined_ms", agent.joined_ms()).set("slots", std::move(slots));
  return value;
}

// "connected", and what people ordered of it if that is not the usual.
std::string state_text(const v1::AgentInfo& agent) {
  int disabled = 0;
  for (const v1::SlotInfo& slot : agent.slots()) disabled += slot.disabled() ? 1 : 0;
  std::string text = agent.state();
  if (agent.admission() != "enabled") text += cat(", ", agent.admission());
  if (disabled > 0) text += cat(", ", disabled, disabled == 1 ? " slot off" : " slots off");
  return text;
}

Result<Exit> list(const App& app) {
  const client::Client client = TRY(app.connect());
  const auto response =
      TRY(client.call<v1::Admin>(&v1::Admin::Stub::ListAgents, v1::ListAgentsRequest()));
  Value::Array values;
  std::string faults;
  Table table({"ID", "NAME", "ADDRESS", "POOL", "STATE", "SLOTS", "USED"});
  for (const v1::AgentInfo& agent : response.agents()) {
    values.push_back(to_value(agent));
    int used = 0;
    for (const v1::SlotInfo& slot : agent.slots()) {
      used += slot.allocation_id().empty() ? 0 : 1;
      if (slot.fault().empty()) continue;
      faults += cat("slot ", slot.id(), " of ", safe_text(agent.name()), " is not given out: ",
                    safe_text(slot.fault()), "\n");
    }
    table.add({agent.id(), safe_text(agent.name()), agent.address(), agent.pool(), state_text(agent),
               std::to_string(agent.slots_size()), std::to_string(used)});
  }
  if (app.json) {
    print_json(std::move(values));
  } else if (response.agents().empty()) {
    print("no agent has joined");
  } else {
    std::fputs((table.text() + faults).c_str(), stdout);
  }
  return Exit::ok;
}

Result<Exit> create_token(const App& app, const std::string& name) {
  const client::Client client = TRY(app.connect());
  v1::CreateAgentTokenRequest request;
  request.set_name(name);
  const auto made = TRY(client.call<v1::Admin>(&v1::Admin::Stub::CreateAgentToken, request));
  if (app.json) {
    print_json(Value().set("name", made.name()).set("token", made.token()));
    return Exit::ok;
  }
  std::fputs(cat("token of ", made.name(), ", shown this once; keep it in a file (0600) for ",
                 "dt-agent --token-file\n")
                 .c_str(),
             stderr);
  print(made.token());
  return Exit::ok;
}

Result<Exit> forget(const App& app, const std::string& id) {
  const client::Client client = TRY(app.connect());
  v1::ForgetAgentRequest request;
  request.set_id(id);
  TRY(client.call<v1::Admin>(&v1::Admin::Stub::ForgetAgent, request));
  print(cat("forgot agent ", id, "; what it held is given up"));
  return Exit::ok;
}

}  // namespace

void add_agent_commands(CLI::App& root, App& app) {
  CLI::App* group = root.add_subcommand("agent", "the nodes and their slots");
  group->require_subcommand(1);
  on_chosen(*group->add_subcommand("list", "all agents that joined"), app,
            [&app] { return list(app); });
  CLI::App* command = group->add_subcommand(
      "forget", "give up an agent that will not come back, without waiting for its lease");
  const auto id = std::make_shared<std::string>();
  command->add_option("ID", *id, "as agent list shows it")->required();
  on_chosen(*command, app, [&app, id] { return forget(app, *id); });
  add_agent_orders(*group, app);
  CLI::App* tokens = group->add_subcommand("token", "tokens with which agents join");
  tokens->require_subcommand(1);
  command = tokens->add_subcommand("create", "a token for one more machine, printed once");
  const auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "what the machine is called");
  on_chosen(*command, app, [&app, name] { return create_token(app, *name); });
}

}  // namespace dt::cli
