// dtctl search: what a search has heard, and what a person or a script tells a custom one.
#include "cli/app.h"
#include "cli/read.h"
#include "cli/wire_json.h"
#include "dovetail/v1/search.grpc.pb.h"
#include "formats/json.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

// All events after `after`, page by page.
Result<std::vector<v1::SearchEvent>> read_events(const client::Client& client,
                                                 std::int64_t experiment, std::int64_t after) {
  std::vector<v1::SearchEvent> events;
  v1::ListSearchEventsRequest request;
  request.set_experiment_id(experiment);
  request.set_after(after);
  for (;;) {
    const auto page =
        TRY(client.call<v1::Searches>(&v1::Searches::Stub::ListSearchEvents, request));
    if (page.events().empty()) return events;
    events.insert(events.end(), page.events().begin(), page.events().end());
    request.set_after(events.back().number());
  }
}

Result<Exit> show_events(const App& app, std::int64_t experiment, std::int64_t after) {
  const client::Client client = TRY(app.connect());
  Value::Array values;
  for (const v1::SearchEvent& event : TRY(read_events(client, experiment, after))) {
    if (!app.json) {
      print(cat(event.number(), "  ", safe_text(event.event_json())));
      continue;
    }
    Value value = TRY(parse_json(event.event_json()));
    values.push_back(value.set("id", event.number()));
  }
  if (app.json) print_json(std::move(values));
  return Exit::ok;
}

Result<Exit> propose(const App& app, const v1::ProposeRequest& request) {
  const client::Client client = TRY(app.connect());
  const auto made = TRY(client.call<v1::Searches>(&v1::Searches::Stub::Propose, request));
  const bool is_new = request.has_create();
  if (app.json) {
    Value value = Value::Object{};
    if (is_new) value.set("id", made.trial_id()).set("number", made.trial());
    print_json(value);
  } else if (is_new) {
    print(cat("trial ", made.trial(), " of the search is trial ", made.trial_id()));
  } else {
    print(cat("the search of experiment ", request.experiment_id(), " was told"));
  }
  return Exit::ok;
}

using Request = std::shared_ptr<v1::ProposeRequest>;

// A command of one experiment that sends the request.
CLI::App& add_proposal(CLI::App& group, App& app, const char* name, const char* help,
                       const Request& request) {
  CLI::App* command = group.add_subcommand(name, help);
  command
      ->add_option_function<std::int64_t>(
          "EXPERIMENT", [request](std::int64_t id) { request->set_experiment_id(id); })
      ->required();
  on_chosen(*command, app, [&app, request] { return propose(app, *request); });
  return *command;
}

void add_propose(CLI::App& group, App& app) {
  const Request request = std::make_shared<v1::ProposeRequest>();
  CLI::App& command =
      add_proposal(group, app, "propose", "a new trial of a custom search", request);
  command
      .add_option_function<std::string>(
          "HPARAMS",
          [request](const std::string& text) { request->mutable_create()->set_hparams_json(text); },
          "as JSON: {\"lr\": 0.1}")
      ->required();
  command.add_option_function<int>(
      "--from", [request](int trial) { request->mutable_create()->set_from(trial); },
      "begin with the latest checkpoint of this trial of the search");
}

template <class Set>
void add_order(CLI::App& group, App& app, const char* name, const char* help, Set set) {
  const Request request = std::make_shared<v1::ProposeRequest>();
  add_proposal(group, app, name, help, request)
      .add_option_function<int>(
          "TRIAL", [request, set](int trial) { (request.get()->*set)(trial); },
          "its number in the search: 0, 1, …")
      ->required();
}

}  // namespace

void add_search_commands(CLI::App& root, App& app) {
  CLI::App* group = root.add_subcommand("search", "what a search hears, and telling a custom one");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("events", "what it has heard, oldest first");
  const auto experiment = std::make_shared<std::int64_t>(0);
  const auto after = std::make_shared<std::int64_t>(0);
  command->add_option("EXPERIMENT", *experiment)->required();
  command->add_option("--after", *after, "only events with a larger number");
  on_chosen(*command, app,
            [&app, experiment, after] { return show_events(app, *experiment, *after); });
  add_propose(*group, app);
  add_order(*group, app, "stop", "end a trial", &v1::ProposeRequest::set_stop);
  add_order(*group, app, "pause", "it checkpoints and waits", &v1::ProposeRequest::set_pause);
  add_order(*group, app, "resume", "from its checkpoint", &v1::ProposeRequest::set_resume);
  const Request finish = std::make_shared<v1::ProposeRequest>();
  finish->mutable_finish();
  add_proposal(*group, app, "finish", "no more trials; those that are going end by themselves",
               finish);
}

}  // namespace dt::cli
