#include "master/rpc/config_text.h"

#include "core/model/merge_config.h"
#include "master/log_matcher.h"
#include "master/pet_name.h"

namespace dt::master {
namespace {

Status with_line(const Status& error, const YamlDocument& document) {
  Detail detail = error.detail();
  if (detail.line == 0) detail.line = document.line_of(detail.path);
  return Status(error.code(), error.message()).with_detail(std::move(detail));
}

Result<std::pair<std::string, Value>> parse_override(const std::string& override_text) {
  const std::size_t equals = override_text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return invalid_argument("\"", override_text, "\" is not KEY=VALUE")
        .with_hint("as in searcher.max_trials=8");
  }
  const YamlDocument value = TRY(parse_yaml(override_text.substr(equals + 1)));
  return std::pair(override_text.substr(0, equals), value.value);
}

}  // namespace

Result<core::Overrides> parse_overrides(const Overrides& overrides) {
  core::Overrides parsed;
  for (const std::string& text : overrides) parsed.push_back(TRY(parse_override(text)));
  return parsed;
}

Result<YamlDocument> read_config(const std::string& text, const Overrides& overrides,
                                 const std::string& base) {
  YamlDocument document = TRY(parse_yaml(text));
  if (!base.empty()) {
    const YamlDocument below = TRY(parse_yaml(base));
    document.value = core::merge_config(document.value, below.value);
  }
  for (auto& [path, value] : TRY(parse_overrides(overrides))) {
    TRY(core::set_config_key(document.value, path, value));
  }
  return document;
}

std::vector<Status> check_text(const Result<YamlDocument>& document) {
  if (!document.ok()) return {document.status()};
  std::vector<Status> problems = core::check_config(document->value);
  if (document->value["log_policies"].is_array()) {
    const Status wrong = check_patterns(core::log_policies_of(document->value["log_policies"]));
    if (problems.empty() && !wrong.ok()) problems.push_back(wrong);
  }
  for (Status& problem : problems) problem = with_line(problem, *document);
  return problems;
}

void add_problems(const std::vector<Status>& problems, ConfigProblems& out) {
  for (const Status& problem : problems) {
    ::dovetail::v1::ConfigProblem* error = out.Add();
    error->set_path(problem.detail().path);
    error->set_line(problem.detail().line);
    error->set_message(problem.message());
    error->set_value(problem.detail().value);
    error->set_hint(problem.detail().hint);
  }
}

Status join_problems(const std::vector<Status>& problems) {
  std::string text;
  for (const Status& problem : problems) {
    const int line = problem.detail().line;
    text += cat(text.empty() ? "" : "\n", line > 0 ? cat("line ", line, ": ") : "", problem.text());
  }
  Detail detail = problems.front().detail();
  if (problems.size() > 1) detail.hint.clear();  // each line has its own
  return invalid_argument(text).with_detail(std::move(detail));
}

core::ConfigDefaults defaults_now(const Clock& clock) {
  const std::int64_t now_ms = to_ms(clock.now());
  return {.seed = static_cast<std::uint32_t>(now_ms / 1000),
          .name = cat("Experiment (", pet_name(static_cast<std::uint64_t>(now_ms)), ")"),
          .priority = 42};
}

}  // namespace dt::master
