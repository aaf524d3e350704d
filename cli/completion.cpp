// dtctl completion bash: a script that completes commands and options, written from the very tree that
// parses them, so that it knows every command that this dtctl has.
#include <cstdio>

#include "cli/app.h"

namespace dt::cli {
namespace {

std::string words_after(const CLI::App& command) {
  std::string words;
  for (const CLI::App* sub : command.get_subcommands({})) words += cat(sub->get_name(), " ");
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words += cat("--", name, " ");
  }
  if (!words.empty()) words.pop_back();
  return words;
}

// One line of the script's `case` for each command: "experiment create") words="…";;
void add_cases(const CLI::App& command, const std::string& path, std::string& script) {
  script += cat("    \"", path, "\") words=\"", words_after(command), "\";;\n");
  for (const CLI::App* sub : command.get_subcommands({})) {
    add_cases(*sub, path.empty() ? sub->get_name() : cat(path, " ", sub->get_name()), script);
  }
}

// What has been typed and is a command of the tree makes the path; other words are arguments.
std::string bash_script(const CLI::App& root) {
  std::string cases;
  add_cases(root, "", cases);
  return cat(
      "# Completes dtctl's commands and options. For this shell: eval \"$(dtctl completion bash)\"\n"
      "_dtctl_words() {\n"
      "  local words=\n"
      "  case \"$1\" in\n",
      cases,
      "    *) return 1;;\n"
      "  esac\n"
      "  printf '%s' \"$words\"\n"
      "}\n"
      "_dtctl() {\n"
      "  local path= at\n"
      "  for ((at = 1; at < COMP_CWORD; ++at)); do\n"
      "    [[ ${COMP_WORDS[at]} == -* ]] && continue\n"
      "    _dtctl_words \"${path:+$path }${COMP_WORDS[at]}\" >/dev/null &&\n"
      "      path=\"${path:+$path }${COMP_WORDS[at]}\"\n"
      "  done\n"
      "  COMPREPLY=($(compgen -W \"$(_dtctl_words \"$path\")\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
      "}\n"
      "complete -o default -F _dtctl dtctl\n");
}

}  // namespace

void add_completion_command(CLI::App& root, App& app) {
  CLI::App* completion =
      root.add_subcommand("completion", "print a script that completes dtctl's commands");
  completion->require_subcommand(1);
  CLI::App* bash = completion->add_subcommand(
      "bash", "for bash; put eval \"$(dtctl completion bash)\" into ~/.bashrc");
  bash->callback([&root, &app] {
    app.chosen = [&root] {
      std::fputs(bash_script(root).c_str(), stdout);
      return Exit::ok;
    };
  });
}

}  // namespace dt::cli
