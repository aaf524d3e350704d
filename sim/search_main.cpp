// dt-search: a searcher as a program. Requests and answers are JSON lines on stdin and stdout, so
// that benches, tests and other languages drive exactly the production code. Exit code 0 at the end
// of the input, 2 when it cannot start.
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "formats/json.h"
#include "formats/yaml.h"
#include "sim/search_session.h"

namespace {

constexpr const char* usage = R"(usage: dt-search --config FILE [--seed N] [--restore FILE]

  --config FILE   an experiment's configuration; only its searcher and hyperparameters count
  --seed N        of the search (default: reproducibility.experiment_seed, else 0)
  --restore FILE  go on from the answer to {"op":"snapshot"} of an earlier run

One request a line on stdin, one answer a line on stdout:
  {"op":"ask"}                                what to train next:
      {"trial":0,"hparams":{…}}                 a new trial; with "from":7 it starts from the
                                                latest checkpoint of trial 7
      {"resume":0}                              a paused one, from where it stopped
      {"wait":true}                             nothing before somebody reports or exits
      {"done":true}                             nothing any more
  {"op":"report","trial":0,"step":10,"value":0.5}
      {"decision":"continue"}                   or "stop", or "pause": it may be resumed later.
                                                A stopped trial needs no exit.
  {"op":"exit","trial":0,"reason":"completed"}  or errored, invalid_hp, user_cancelled
      {"ok":true}
  {"op":"snapshot"}                           the whole state, for --restore
A custom search is also told what to do:
  {"op":"create","hparams":{…}}               answered by {"trial":0}, which the next ask hands out
  {"op":"stop","trial":0}                     or pause, or resume
  {"op":"finish"}                             no more trials
A value may also be "NaN", "Infinity" or "-Infinity". What makes no sense is answered by
{"error":"…"} and changes nothing.
)";

struct Arguments {
  std::string config;
  std::string restore;
  std::optional<std::uint32_t> seed;
};

std::optional<std::uint32_t> seed_of(const std::string& text) {
  if (text.empty() || text.size() > 10) return std::nullopt;
  std::uint64_t number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (number > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

dt::Result<Arguments> arguments_of(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; i += 2) {
    const std::string word = words[i];
    if (i + 1 == count) return dt::invalid_argument(word, " needs a value");
    const std::string value = words[i + 1];
    if (word == "--config") {
      arguments.config = value;
    } else if (word == "--restore") {
      arguments.restore = value;
    } else if (word == "--seed") {
      arguments.seed = seed_of(value);
      if (!arguments.seed)
        return dt::invalid_argument("--seed must be 0 to 4294967295, not ", value);
    } else {
      return dt::invalid_argument("unknown option ", word);
    }
  }
  if (arguments.config.empty()) return dt::invalid_argument("--config FILE is missing");
  return arguments;
}

dt::Result<std::string> text_of(const std::string& file) {
  std::ifstream input(file);
  std::stringstream text;
  text << input.rdbuf();
  if (!input) return dt::not_found("cannot read ", file);
  return text.str();
}

dt::Result<dt::core::ExperimentConfig> config_in(const std::string& file) {
  const std::string text = TRY(text_of(file));
  dt::YamlDocument document = TRY(dt::parse_yaml(text));
  // A search can be tried before there is a program to run.
  if (document.value.is_object() && document.value["entrypoint"].is_null()) {
    document.value.set("entrypoint", "none");
  }
  const auto parsed = dt::core::parse_config(document.value, {});
  if (parsed.ok()) return parsed->config;
  const int line = document.line_of(parsed.status().detail().path);
  return dt::Status(parsed.status()).with_context(dt::cat(file, ":", line));
}

dt::Result<dt::sim::SearchSession> session_of(const Arguments& arguments) {
  const dt::core::ExperimentConfig config = TRY(config_in(arguments.config));
  dt::sim::SearchSession session(config, arguments.seed.value_or(config.seed));
  if (arguments.restore.empty()) return session;
  const std::string text = TRY(text_of(arguments.restore));
  const dt::Value snapshot = TRY(dt::parse_json(text));
  const dt::Status restored = session.restore(snapshot);
  if (!restored.ok()) return dt::Status(restored).with_context(arguments.restore);
  return session;
}

dt::Value answer(dt::sim::SearchSession& session, const std::string& line) {
  const auto request = dt::parse_json(line);
  if (request.ok()) return session.answer(*request);
  return dt::Value::Object{{"error", request.status().text()}};
}

}  // namespace

int main(int count, char** words) {
  std::ios::sync_with_stdio(false);
  if (count == 2 && (std::string(words[1]) == "--help" || std::string(words[1]) == "-h")) {
    std::cout << usage;
    return 0;
  }
  const auto arguments = arguments_of(count, words);
  if (!arguments.ok()) {
    std::cerr << "dt-search: " << arguments.status().text() << "\n" << usage;
    return 2;
  }
  auto session = session_of(*arguments);
  if (!session.ok()) {
    std::cerr << "dt-search: " << session.status().text() << "\n";
    return 2;
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::cout << dt::to_json(answer(*session, line)) << std::endl;
  }
}
