// dtctl trial reproduce: what is needed to run a trial once more, and with --submit just that. The
// configuration is the experiment's with the trial's hyperparameters and seed, as a single search.
#include "cli/app.h"
#include "cli/provenance.h"
#include "cli/read.h"
#include "cli/submit.h"
#include "dovetail/v1/trial.grpc.pb.h"
#include "formats/json.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

struct Reproduction {
  v1::Trial trial;
  v1::Experiment experiment;
  v1::GetTrialProvenanceResponse provenance;
  Value config;
  std::vector<std::string> notes;  // where it may differ
};

// A map would be taken for a space of its own.
Value constants_of(const Value& hparams) {
  Value space(Value::Object{});
  if (!hparams.is_object()) return space;
  for (const auto& [name, value] : hparams.as_object()) {
    space.set(name, value.is_object() ? Value().set("type", "const").set("val", value) : value);
  }
  return space;
}

// Of one trial: what the search let it train for is its length.
Value single_search(const Value& searcher, std::vector<std::string>& notes) {
  Value single;
  single.set("name", "single").set("metric", searcher["metric"]);
  single.set("smaller_is_better", searcher["smaller_is_better"]);
  if (!searcher["max_length"].is_null()) single.set("max_length", searcher["max_length"]);
  if (searcher["max_time"].is_null()) return single;
  const std::string unit =
      searcher["time_metric"].is_string() ? searcher["time_metric"].as_string() : "batches";
  if (unit == "batches" || unit == "records" || unit == "epochs") {
    single.set("max_length", Value().set(unit, searcher["max_time"]));
  } else {
    notes.push_back(cat("the search ended trials at ", unit, "=", to_json(searcher["max_time"]),
                        "; a single search does not"));
  }
  return single;
}

void complete(Reproduction& reproduction, const Value& resolved, const Value& hparams) {
  const v1::Trial& trial = reproduction.trial;
  Value config = resolved;
  config.set("name", cat("trial ", trial.id(), " again"));
  config.set("hyperparameters", constants_of(hparams));
  config.set("searcher", single_search(resolved["searcher"], reproduction.notes));
  Value seeds = resolved["reproducibility"];
  seeds.set("trial_seed", std::int64_t{trial.seed()});
  config.set("reproducibility", std::move(seeds));
  reproduction.config = std::move(config);
  if (trial.stopped_by_searcher()) {
    reproduction.notes.push_back(
        cat("the search stopped this trial at step ", trial.latest_step(), "; the new one goes on"));
  }
  if (reproduction.experiment.context_hash().empty()) {
    reproduction.notes.emplace_back(
        "there is no context: the program must lie on the nodes as it did then");
  }
}

Result<Reproduction> look_up(const client::Client& client, std::int64_t id) {
  Reproduction reproduction;
  v1::GetTrialRequest request;
  request.set_id(id);
  reproduction.trial =
      TRY(client.call<v1::Trials>(&v1::Trials::Stub::GetTrial, request)).trial();
  reproduction.experiment = TRY(get_experiment(client, reproduction.trial.experiment_id()));
  reproduction.provenance = TRY(get_provenance(client, id, 0));
  complete(reproduction, TRY(parse_json(reproduction.experiment.config_json())),
           TRY(parse_json(reproduction.trial.hparams_json())));
  return reproduction;
}

Value to_value(const Reproduction& reproduction) {
  const v1::Provenance& source = reproduction.experiment.provenance();
  const auto text = [](const std::string& value) { return value.empty() ? Value() : Value(value); };
  Value value;
  value.set("trial_id", reproduction.trial.id());
  value.set("experiment_id", reproduction.experiment.id());
  value.set("git_commit", text(source.git_commit())).set("git_branch", text(source.git_branch()));
  value.set("git_remote", text(source.git_remote())).set("git_dirty", source.git_dirty());
  value.set("git_diff", text(source.git_diff())).set("git_diff_cut", source.git_diff_cut());
  value.set("context_hash", text(reproduction.experiment.context_hash()));
  value.set("command", text(source.command_line()));
  value.set("seed", std::int64_t{reproduction.trial.seed()});
  value.set("notes", Value::Array(reproduction.notes.begin(), reproduction.notes.end()));
  value.set("config", reproduction.config);
  return value;
}

void print_reproduction(const Reproduction& reproduction) {
  const std::int64_t id = reproduction.trial.id();
  const v1::Provenance& source = reproduction.experiment.provenance();
  print(cat("# trial ", id, " of experiment ", reproduction.experiment.id(), " (",
            safe_text(reproduction.experiment.name()), "), seed ",
            static_cast<std::int64_t>(reproduction.trial.seed())));
  const auto line = [](const char* name, const std::string& value) {
    if (!value.empty()) print(cat("# ", name, " ", safe_text(value)));
  };
  line("commit", source.git_commit());
  line("branch", source.git_branch());
  line("remote", source.git_remote());
  if (source.git_dirty()) {
    print(cat("# with uncommitted changes: dtctl trial provenance ", id, " --diff | git apply"));
  }
  line("context", reproduction.experiment.context_hash());
  line("submitted by", source.command_line());
  for (const std::string& note : reproduction.notes) line("note:", note);
  print(cat("# to submit it again: dtctl trial reproduce ", id, " --submit --follow"));
  print(to_json_pretty(reproduction.config));
}

struct ReproduceOptions {
  std::int64_t trial = 0;
  bool submit = false;
  bool follow = false;
};

Result<Exit> reproduce(const App& app, const ReproduceOptions& options) {
  const client::Client client = TRY(app.connect());
  const Reproduction reproduction = TRY(look_up(client, options.trial));
  if (options.submit) {
    for (const std::string& note : reproduction.notes) print_warning(note);
    Submission submission{.config_name = cat("trial ", options.trial),
                          .config_yaml = to_json_pretty(reproduction.config),
                          .follow = options.follow};
    submission.parent = reproduction.experiment;
    return submit(app, submission);
  }
  if (app.json) {
    print_json(to_value(reproduction));
  } else {
    print_reproduction(reproduction);
  }
  return Exit::ok;
}

}  // namespace

void add_reproduce_command(CLI::App& group, App& app) {
  CLI::App* command = group.add_subcommand(
      "reproduce", "what is needed to run it once more; with --submit, runs it once more");
  const auto options = std::make_shared<ReproduceOptions>();
  command->add_option("ID", options->trial, "trial")->required();
  command->add_flag("--submit", options->submit,
                    "the same code, hyperparameters and seed, as an experiment of one trial");
  command->add_flag("--follow,-f", options->follow, "with --submit: show progress until it ends");
  on_chosen(*command, app, [&app, options] { return reproduce(app, *options); });
}

}  // namespace dt::cli
