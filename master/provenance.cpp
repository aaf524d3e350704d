#include "master/provenance.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "formats/json.h"

namespace dt::master {
namespace {

namespace v1 = ::dovetail::v1;
namespace json = google::protobuf::util;

constexpr std::size_t diff_bytes_max = 1024 * 1024;
constexpr std::size_t text_bytes_max = 32 * 1024;

class FactList {
 public:
  explicit FactList(std::string group) : group_(std::move(group)) {}

  // What is not known is no fact.
  void add(const std::string& name, const std::string& value) {
    if (value.empty()) return;
    v1::Fact& fact = facts_.emplace_back();
    fact.set_group(group_);
    fact.set_name(name);
    fact.set_value(value);
  }

  std::vector<v1::Fact> take() { return std::move(facts_); }

 private:
  std::string group_;
  std::vector<v1::Fact> facts_;
};

std::string text_of(const Value& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.as_string() : to_json(value);
}

std::vector<v1::Fact> source_facts(const TrialFacts& trial) {
  const v1::Provenance source = provenance_of(trial.provenance);
  FactList facts("source");
  facts.add("commit", source.git_commit());
  facts.add("branch", source.git_branch());
  facts.add("remote", source.git_remote());
  if (!source.git_commit().empty()) {
    facts.add("changes", source.git_dirty() ? "uncommitted changes" : "none");
  }
  facts.add(source.git_diff_cut() ? "diff (cut)" : "diff", source.git_diff());
  facts.add("folder", source.folder());
  facts.add("context", trial.experiment.context.value);
  return facts.take();
}

std::vector<v1::Fact> submit_facts(const TrialFacts& trial) {
  const v1::Provenance source = provenance_of(trial.provenance);
  FactList facts("submit");
  facts.add("command", source.command_line());
  facts.add("user", source.user());
  facts.add("host", source.host());
  facts.add("client", source.client());
  facts.add("owner", trial.experiment.owner);
  if (trial.experiment.forked_from) facts.add("forked from", to_text(trial.experiment.forked_from));
  return facts.take();
}

// [{name, value}], as the agent says it.
std::vector<v1::Fact> node_facts(const RunRecord& record, const std::string& name) {
  FactList facts(cat("node ", name));
  if (!record.body["node"].is_array()) return {};
  for (const Value& fact : record.body["node"].as_array()) {
    facts.add(text_of(fact["name"]), text_of(fact["value"]));
  }
  return facts.take();
}

// {python, …, packages: {name: version}}, as a rank says it in its hello.
std::vector<v1::Fact> software_facts(const Value& software, const std::string& group) {
  FactList facts(group);
  if (!software.is_object()) return {};
  for (const auto& [name, value] : software.as_object()) {
    if (!value.is_object()) facts.add(name, text_of(value));
  }
  if (software["packages"].is_object()) {
    for (const auto& [name, value] : software["packages"].as_object()) {
      facts.add(name, text_of(value));
    }
  }
  return facts.take();
}

void append(std::vector<v1::Fact>& all, std::vector<v1::Fact> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

void append_nodes(std::vector<v1::Fact>& all, const TrialFacts& trial) {
  // Node n's own stream is −1−n, so the order of nodes is the opposite one of streams.
  for (auto record = trial.run.records.rbegin(); record != trial.run.records.rend(); ++record) {
    if (record->kind != core::RecordKind::environment) continue;
    const auto name = trial.agent_names.find(record->agent);
    append(all, node_facts(*record, name == trial.agent_names.end() ? to_text(record->agent)
                                                                    : name->second));
  }
}

// The first rank's software, and that of ranks which have another.
void append_software(std::vector<v1::Fact>& all, const TrialFacts& trial) {
  const Value* first = nullptr;
  std::vector<int> told;
  for (const RunRecord& record : trial.run.records) {
    const Value& software = record.body["software"];
    if (record.kind != core::RecordKind::hello || !software.is_object()) continue;
    const bool is_told = std::find(told.begin(), told.end(), record.stream) != told.end();
    if (is_told || (first != nullptr && *first == software)) continue;
    told.push_back(record.stream);
    append(all, software_facts(software, first == nullptr
                                             ? "software"
                                             : cat("software of rank ", record.stream)));
    if (first == nullptr) first = &software;
  }
}

}  // namespace

Status check_provenance(const v1::Provenance& provenance) {
  const auto too_long = [](const char* field, std::size_t bytes, std::size_t most) {
    return invalid_argument("provenance.", field, ": ", bytes, " bytes, at most ", most,
                            " are kept")
        .with_hint("cut it, and set git_diff_cut for a diff");
  };
  if (provenance.git_diff().size() > diff_bytes_max) {
    return too_long("git_diff", provenance.git_diff().size(), diff_bytes_max);
  }
  const std::pair<const char*, const std::string*> texts[] = {
      {"git_commit", &provenance.git_commit()}, {"git_branch", &provenance.git_branch()},
      {"git_remote", &provenance.git_remote()}, {"command_line", &provenance.command_line()},
      {"user", &provenance.user()},             {"host", &provenance.host()},
      {"folder", &provenance.folder()},         {"client", &provenance.client()}};
  for (const auto& [field, text] : texts) {
    if (text->size() > text_bytes_max) return too_long(field, text->size(), text_bytes_max);
  }
  return {};
}

Value provenance_value(const v1::Provenance& provenance) {
  std::string text;
  json::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  const auto printed = json::MessageToJsonString(provenance, &text, options);
  VERIFY(printed.ok(), "a Provenance has no JSON form");
  return parse_json(text).value_or(Value());
}

v1::Provenance provenance_of(const Value& stored) {
  v1::Provenance provenance;
  json::JsonParseOptions options;
  options.ignore_unknown_fields = true;  // of a newer master
  const bool is_read =
      stored.is_object() &&
      json::JsonStringToMessage(to_json(stored), &provenance, options).ok();
  return is_read ? provenance : v1::Provenance();
}

std::vector<v1::Fact> facts_of(const TrialFacts& trial) {
  std::vector<v1::Fact> all = source_facts(trial);
  append(all, submit_facts(trial));
  append_nodes(all, trial);
  append_software(all, trial);
  return all;
}

}  // namespace dt::master
