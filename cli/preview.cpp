// dtctl preview-search: what a configuration would search, before anything runs.
#include "cli/app.h"
#include "cli/submit.h"
#include "dovetail/v1/experiment.grpc.pb.h"
#include "formats/json.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

Value to_value(const v1::PreviewSearchResponse& preview) {
  Value::Array rungs, hparams, warnings(preview.warnings().begin(), preview.warnings().end());
  for (const v1::PreviewRung& rung : preview.rungs()) {
    rungs.push_back(Value()
                        .set("bracket", rung.bracket())
                        .set("units", rung.units())
                        .set("trials", rung.trials()));
  }
  for (const std::string& text : preview.first_hparams_json()) {
    hparams.push_back(parse_json(text).value_or(Value()));
  }
  Value value;
  value.set("searcher", preview.searcher()).set("trials", preview.trials());
  value.set("unit", preview.unit().empty() ? Value() : Value(preview.unit()));
  value.set("total_units", preview.total_units() == 0 ? Value() : Value(preview.total_units()));
  value.set("slots_per_trial", preview.slots_per_trial());
  value.set("max_concurrent_trials", preview.max_concurrent_trials());
  value.set("rungs", std::move(rungs)).set("first_hparams", std::move(hparams));
  value.set("warnings", std::move(warnings));
  return value;
}

void print_preview(const v1::PreviewSearchResponse& preview) {
  for (const std::string& warning : preview.warnings()) print_warning(warning);
  print(cat(preview.searcher(), ": ", preview.trials(), " trials of ", preview.slots_per_trial(),
            " slots, at most ", preview.max_concurrent_trials(), " at a time"));
  if (preview.total_units() > 0) {
    print(cat("all together ", preview.total_units(), " ", safe_text(preview.unit())));
  }
  if (!preview.rungs().empty()) {
    Table rungs({"BRACKET", cut(safe_text(preview.unit()), 30), "TRIALS THAT GET HERE"});
    for (const v1::PreviewRung& rung : preview.rungs()) {
      rungs.add({std::to_string(rung.bracket()), std::to_string(rung.units()),
                 std::to_string(rung.trials())});
    }
    std::fputs(rungs.text().c_str(), stdout);
  }
  Table hparams({"TRIAL", "HPARAMS"});
  for (int i = 0; i < preview.first_hparams_json_size(); ++i) {
    hparams.add({std::to_string(i), cut(short_hparams(preview.first_hparams_json(i)), 120)});
  }
  std::fputs(hparams.text().c_str(), stdout);
}

Result<Exit> preview(const App& app, const std::string& config,
                     const std::vector<std::string>& overrides) {
  const client::Client client = TRY(app.connect());
  v1::PreviewSearchRequest request;
  request.set_config_yaml(TRY(read_text(config)));
  for (const std::string& text : overrides) request.add_overrides(text);
  const auto preview =
      TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::PreviewSearch, request));
  for (const v1::ConfigProblem& problem : preview.errors()) print_problem(config, problem);
  if (!preview.errors().empty()) return Exit::failed;
  if (app.json) {
    print_json(to_value(preview));
  } else {
    print_preview(preview);
  }
  return Exit::ok;
}

}  // namespace

void add_preview_command(CLI::App& root, App& app) {
  CLI::App* command = root.add_subcommand(
      "preview-search", "what a configuration would search: trials, rungs, first hyperparameters");
  const auto config = std::make_shared<std::string>();
  const auto overrides = std::make_shared<std::vector<std::string>>();
  command->add_option("CONFIG", *config, "YAML file")->required();
  command->add_option("--set", *overrides, "KEY=VALUE on top of the file, repeatable")
      ->allow_extra_args(false);
  on_chosen(*command, app, [&app, config, overrides] { return preview(app, *config, *overrides); });
}

}  // namespace dt::cli
