#include "cli/usage.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/words.h"

namespace dt::cli {
namespace {

// The last command that was understood.
const CLI::App& deepest(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : deepest(*chosen.back());
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? "dtctl" : path_of(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Status unknown(const std::string& path, const char* kind, const std::string& word,
               const std::vector<std::string>& known) {
  const std::string meant = nearest(word, known);
  return invalid_argument(path, " has no ", kind, " \"", word, "\"",
                          meant.empty() ? "" : cat("; did you mean ", meant, "?"));
}

}  // namespace

CLI::Validator at_least(std::int64_t least) {
  return CLI::Validator(
      [least](std::string& text) -> std::string {
        std::int64_t value = 0;
        const bool fits = CLI::detail::lexical_cast(text, value) && value >= least;
        return fits ? "" : cat("must be a whole number from ", least, " on, got ", text);
      },
      cat("FROM ", least));
}

Status wrong_usage(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& app = deepest(root);
  const std::string path = path_of(app);
  const std::string help = path + " --help";
  const std::vector<std::string> left = root.remaining(true);
  const auto option = std::find_if(left.begin(), left.end(),
                                   [](const std::string& word) { return word.starts_with("--"); });
  const std::vector<std::string> commands = commands_of(app);
  if (option != left.end()) {
    return unknown(path, "option", *option, options_of(app)).with_hint(help);
  }
  if (!left.empty() && !commands.empty()) {
    return unknown(path, "command", left.front(), commands).with_hint(help);
  }
  if (!left.empty()) return invalid_argument(path, " takes no \"", left.front(), "\"").with_hint(help);
  if (!commands.empty()) return invalid_argument(path, " needs a command").with_hint(help);
  return invalid_argument(path, ": ", error.what()).with_hint(help);
}

}  // namespace dt::cli
