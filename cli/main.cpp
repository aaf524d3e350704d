// dtctl: parse, then do the one chosen command.
#include <fstream>
#include <iterator>

#include "base/version.h"
#include "cli/app.h"
#include "cli/usage.h"

namespace {

using dt::cli::App;
using dt::cli::Exit;

constexpr const char* footer =
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 master unreachable, 4 canceled.\n"
    "First steps: dtctl local up; dtctl experiment create CONFIG CONTEXT --follow";

}  // namespace

int main(int argc, char** argv) {
  CLI::App root("dtctl: launches, watches and steers Dovetail's experiments");
  App app;
  app.command.assign(argv, argv + argc);
  std::string token_file;
  root.set_version_flag("--version", std::string("dtctl ") + dt::version);
  root.add_option("--master", app.master,
                  "HOST:PORT of the master (default: the one you logged in to)");
  root.add_option("--token-file", token_file, "file with the token to use")
      ->check(CLI::ExistingFile);
  root.footer(footer);
  root.require_subcommand(1);
  add_local_commands(root, app);
  add_login_commands(root, app);
  add_experiment_commands(root, app);
  add_preview_command(root, app);
  add_trial_commands(root, app);
  add_search_commands(root, app);
  add_job_commands(root, app);
  add_agent_commands(root, app);
  add_slot_commands(root, app);
  add_master_commands(root, app);
  add_run_command(root, app);
  add_completion_command(root, app);
  try {
    root.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return root.exit(error);  // --help, --version
    dt::cli::print_error(dt::cli::wrong_usage(root, error));
    return static_cast<int>(Exit::usage);
  }
  if (!token_file.empty()) {
    std::ifstream file(token_file);
    file >> app.token;
  }
  return static_cast<int>(app.chosen());
}
