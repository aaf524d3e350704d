// dtctl job: the queue, and why a job waits.
#include "cli/app.h"
#include "dovetail/v1/job.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

Value to_value(const v1::Job& job) {
  Value value;
  value.set("id", job.experiment_id()).set("name", job.name()).set("owner", job.owner());
  value.set("pool", job.pool()).set("priority", job.priority()).set("state", job.state());
  value.set("position", job.position() == 0 ? Value() : Value(job.position()));
  value.set("slots_held", job.slots_held()).set("slots_wanted", job.slots_wanted());
  value.set("trials_running", job.trials_running()).set("trials_waiting", job.trials_waiting());
  value.set("reason", job.reason().empty() ? Value() : Value(job.reason()));
  value.set("submitted_ms", job.submitted_ms()).set("weight", job.weight());
  value.set("max_slots", job.has_max_slots() ? Value(job.max_slots()) : Value());
  value.set("estimated_start_ms",
            job.estimated_start_ms() == 0 ? Value() : Value(job.estimated_start_ms()));
  return value;
}

std::string position(const v1::Job& job) {
  return job.position() == 0 ? "-" : std::to_string(job.position());
}

Result<Exit> list(const App& app, const v1::ListJobsRequest& request) {
  const client::Client client = TRY(app.connect());
  const auto listed = TRY(client.call<v1::Jobs>(&v1::Jobs::Stub::ListJobs, request));
  Value::Array values;
  Table table({"POOL", "POSITION", "EXPERIMENT", "NAME", "OWNER", "PRIORITY", "STATE", "SLOTS",
               "WANTS", "START", "REASON"});
  for (const v1::Job& job : listed.jobs()) {
    values.push_back(to_value(job));
    table.add({safe_text(job.pool()), position(job), std::to_string(job.experiment_id()),
               cut(safe_text(job.name()), 30), safe_text(job.owner()),
               std::to_string(job.priority()), job.state(), std::to_string(job.slots_held()),
               std::to_string(job.slots_wanted()), local_time(job.estimated_start_ms()),
               cut(safe_text(job.reason()), 80)});
  }
  if (app.json) {
    print_json(std::move(values));
  } else if (listed.jobs().empty()) {
    print("the queue is empty");
  } else {
    std::fputs(table.text().c_str(), stdout);
  }
  return Exit::ok;
}

Result<Exit> explain(const App& app, std::int64_t id) {
  const client::Client client = TRY(app.connect());
  v1::ExplainJobRequest request;
  request.set_experiment_id(id);
  const auto got = TRY(client.call<v1::Jobs>(&v1::Jobs::Stub::ExplainJob, request));
  const v1::Job& job = got.job();
  Value::Array values;
  Table table({"TRIAL", "STATE", "SLOTS", "REASON"});
  for (const v1::TrialReason& trial : got.trials()) {
    Value value;
    value.set("id", trial.trial_id()).set("state", trial.state()).set("slots", trial.slots());
    value.set("reason", trial.reason());
    values.push_back(std::move(value));
    table.add({std::to_string(trial.trial_id()), trial.state(), std::to_string(trial.slots()),
               safe_text(trial.reason())});
  }
  if (app.json) {
    print_json(to_value(job).set("trials", std::move(values)));
    return Exit::ok;
  }
  print(cat("experiment ", id, "  ", safe_text(job.name()), "  ", job.state(), " in pool ",
            safe_text(job.pool()), " with priority ", job.priority()));
  print(cat("holds ", job.slots_held(), " slots for ", job.trials_running(), " trials; ",
            job.trials_waiting(), " trials wait for ", job.slots_wanted(), " slots"));
  if (job.position() > 0) {
    print(cat("number ", job.position(), " of those that wait: ", safe_text(job.reason())));
    print(job.estimated_start_ms() == 0
              ? "when it starts cannot be told: what runs before it reports no progress"
              : cat("may start at ", local_time(job.estimated_start_ms()),
                    " if what runs goes on at its pace"));
  }
  if (!got.trials().empty()) std::fputs(table.text().c_str(), stdout);
  return Exit::ok;
}

}  // namespace

void add_job_commands(CLI::App& root, App& app) {
  CLI::App* group = root.add_subcommand("job", "the queue: what waits for slots, and why");
  group->require_subcommand(1);
  CLI::App* command = group->add_subcommand("list", "in the order in which jobs are served");
  const auto request = std::make_shared<v1::ListJobsRequest>();
  command->add_option_function<std::string>(
      "--pool", [request](const std::string& pool) { request->set_pool(pool); }, "only this pool");
  command->add_option_function<int>(
      "--offset", [request](int offset) { request->set_offset(offset); },
      "leave so many out; negative: only so many, the last");
  command->add_option_function<int>(
      "--limit", [request](int limit) { request->set_limit(limit); }, "how many at most");
  on_chosen(*command, app, [&app, request] { return list(app, *request); });
  command = group->add_subcommand("explain", "why an experiment's trials wait");
  const auto id = std::make_shared<std::int64_t>(0);
  command->add_option("ID", *id, "experiment")->required();
  on_chosen(*command, app, [&app, id] { return explain(app, *id); });
}

}  // namespace dt::cli
