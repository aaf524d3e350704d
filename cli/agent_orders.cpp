// dtctl agent drain, disable, enable, and the same of single slots: dtctl slot disable, enable.
#include "cli/app.h"
#include "cli/read.h"
#include "dovetail/v1/admin.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

std::string went(int withdrawn) {
  if (withdrawn == 0) return "";
  return cat("; ", withdrawn, withdrawn == 1 ? " attempt was" : " attempts were",
             " asked to checkpoint and go");
}

Result<Exit> order(const App& app, const std::string& name, const std::string& admission) {
  const client::Client client = TRY(app.connect());
  v1::SetAgentStateRequest request;
  request.set_id(TRY(find_agent(client, name)).id());
  request.set_admission(admission);
  const auto done = TRY(client.call<v1::Admin>(&v1::Admin::Stub::SetAgentState, request));
  if (app.json) {
    print_json(Value()
                   .set("id", request.id())
                   .set("admission", admission)
                   .set("withdrawn", done.withdrawn()));
  } else {
    print(cat("agent ", safe_text(name), " is ", admission, went(done.withdrawn())));
  }
  return Exit::ok;
}

struct SlotOrder {
  std::string agent;
  std::vector<std::string> slots;
  bool enabled = false;
  bool drain = false;
};

Result<Exit> order(const App& app, const SlotOrder& wanted) {
  const client::Client client = TRY(app.connect());
  v1::SetSlotsRequest request;
  request.set_agent_id(TRY(find_agent(client, wanted.agent)).id());
  for (const std::string& slot : wanted.slots) request.add_slot_ids(slot);
  request.set_enabled(wanted.enabled);
  request.set_drain(wanted.drain);
  const auto done = TRY(client.call<v1::Admin>(&v1::Admin::Stub::SetSlots, request));
  if (app.json) {
    Value value;
    value.set("agent_id", request.agent_id());
    value.set("slots", Value::Array(wanted.slots.begin(), wanted.slots.end()));
    print_json(value.set("enabled", wanted.enabled).set("withdrawn", done.withdrawn()));
    return Exit::ok;
  }
  for (const std::string& slot : wanted.slots) {
    print(cat("slot ", safe_text(slot), " of agent ", safe_text(wanted.agent), " is ",
              wanted.enabled ? "enabled" : "disabled"));
  }
  if (done.withdrawn() > 0) print(went(done.withdrawn()).substr(2));
  return Exit::ok;
}

void add_order(CLI::App& group, App& app, const char* name, const char* help,
               const char* admission) {
  CLI::App* command = group.add_subcommand(name, help);
  const auto agent = std::make_shared<std::string>();
  command->add_option("AGENT", *agent, "its name or ID")->required();
  on_chosen(*command, app, [&app, agent, admission] { return order(app, *agent, admission); });
}

void add_slot_order(CLI::App& group, App& app, const char* name, const char* help, bool enabled) {
  CLI::App* command = group.add_subcommand(name, help);
  const auto wanted = std::make_shared<SlotOrder>();
  wanted->enabled = enabled;
  command->add_option("AGENT", wanted->agent, "its name or ID")->required();
  command->add_option("SLOT", wanted->slots, "as agent list --json shows them")->required();
  if (!enabled) command->add_flag("--drain", wanted->drain, "what runs there may end first");
  on_chosen(*command, app, [&app, wanted] { return order(app, *wanted); });
}

}  // namespace

void add_agent_orders(CLI::App& group, App& app) {
  add_order(group, app, "drain", "what runs there may end, nothing comes", "draining");
  add_order(group, app, "disable", "what runs there checkpoints and goes, nothing comes",
            "disabled");
  add_order(group, app, "enable", "it gets work again", "enabled");
}

void add_slot_commands(CLI::App& root, App& app) {
  CLI::App* group = root.add_subcommand("slot", "single slots of an agent");
  group->require_subcommand(1);
  add_slot_order(*group, app, "disable", "what runs on them checkpoints and goes, nothing comes",
                 false);
  add_slot_order(*group, app, "enable", "they are used again", true);
}

}  // namespace dt::cli
