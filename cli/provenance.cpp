#include "cli/provenance.h"

#include <algorithm>

#include "cli/app.h"
#include "dovetail/v1/trial.grpc.pb.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

bool is_diff(const v1::Fact& fact) { return fact.name().starts_with("diff"); }

Result<Exit> provenance(const App& app, const v1::GetTrialProvenanceRequest& request, bool diff) {
  const client::Client client = TRY(app.connect());
  const auto got = TRY(get_provenance(client, request.id(), request.attempt()));
  Value::Array values;
  Table table({"GROUP", "NAME", "VALUE"});
  for (const v1::Fact& fact : got.facts()) {
    Value value;
    value.set("group", fact.group()).set("name", fact.name()).set("value", fact.value());
    values.push_back(std::move(value));
    if (is_diff(fact) && diff) std::fputs(fact.value().c_str(), stdout);
    const auto lines = std::count(fact.value().begin(), fact.value().end(), '\n');
    table.add({safe_text(fact.group()), safe_text(fact.name()),
               is_diff(fact) ? cat(lines, " lines: --diff prints them") : safe_text(fact.value())});
  }
  if (diff) return Exit::ok;
  if (app.json) {
    print_json(Value().set("attempt", got.attempt()).set("facts", std::move(values)));
  } else {
    std::fputs(table.text().c_str(), stdout);
  }
  return Exit::ok;
}

}  // namespace

Result<v1::GetTrialProvenanceResponse> get_provenance(const client::Client& client,
                                                      std::int64_t trial, int attempt) {
  v1::GetTrialProvenanceRequest request;
  request.set_id(trial);
  request.set_attempt(attempt);
  return client.call<v1::Trials>(&v1::Trials::Stub::GetTrialProvenance, request);
}

std::string fact(const v1::GetTrialProvenanceResponse& provenance, const std::string& group,
                 const std::string& name) {
  for (const v1::Fact& fact : provenance.facts()) {
    if (fact.group().starts_with(group) && fact.name() == name) return fact.value();
  }
  return "";
}

std::string short_facts(const v1::GetTrialProvenanceResponse& provenance) {
  std::string text;
  const auto add = [&](const std::string& piece) { text += cat(text.empty() ? "" : "  ", piece); };
  const std::string commit = fact(provenance, "source", "commit");
  const std::string branch = fact(provenance, "source", "branch");
  if (!commit.empty()) {
    add(cat("commit ", commit.substr(0, 12), branch.empty() ? "" : cat(" (", branch, ")")));
    if (fact(provenance, "source", "changes") != "none") add("with uncommitted changes");
  }
  for (const auto& [group, name] : {std::pair{"node", "host"}, {"node", "gpu"}, {"node", "driver"},
                                    {"software", "python"}, {"software", "libtorch"}}) {
    const std::string value = fact(provenance, group, name);
    if (!value.empty()) add(cat(name, " ", value));
  }
  return safe_text(text);
}

void add_provenance_command(CLI::App& group, App& app) {
  CLI::App* command =
      group.add_subcommand("provenance", "where its code came from and what it ran on");
  const auto request = std::make_shared<v1::GetTrialProvenanceRequest>();
  const auto diff = std::make_shared<bool>(false);
  command
      ->add_option_function<std::int64_t>(
          "ID", [request](std::int64_t id) { request->set_id(id); }, "trial")
      ->required();
  command->add_option_function<int>(
      "--attempt", [request](int attempt) { request->set_attempt(attempt); },
      "default: the latest");
  command->add_flag("--diff", *diff, "only the uncommitted changes, as git apply takes them");
  on_chosen(*command, app, [&app, request, diff] { return provenance(app, *request, *diff); });
}

}  // namespace dt::cli
