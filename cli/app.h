// What every command of dtctl has at hand. A command group is one file: it adds its commands to the
// CLI11 app and says what each does when it is chosen. A command returns its exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/output.h"
#include "client/client.h"

namespace dt::cli {

struct App {
  std::string master;  // --master; empty: the saved one
  std::string token;   // --token-file's content
  bool json = false;   // --json
  std::vector<std::string> command;  // the whole command line
  std::function<Exit()> chosen;

  // The client of this invocation; the error says how to get one.
  Result<client::Client> connect() const;
};

// Runs `work` when the command is chosen; an error is printed and becomes the exit code.
void on_chosen(CLI::App& command, App& app, std::function<Result<Exit>()> work);

void add_experiment_commands(CLI::App& root, App& app);
void add_experiment_verbs(CLI::App& experiment_group, App& app);
void add_experiment_changes(CLI::App& experiment_group, App& app);
void add_trial_continue(CLI::App& trial_group, App& app);
void add_preview_command(CLI::App& root, App& app);
void add_trial_commands(CLI::App& root, App& app);
void add_search_commands(CLI::App& root, App& app);
void add_job_commands(CLI::App& root, App& app);
void add_agent_commands(CLI::App& root, App& app);
void add_agent_orders(CLI::App& agent_group, App& app);
void add_slot_commands(CLI::App& root, App& app);
void add_master_commands(CLI::App& root, App& app);
void add_provenance_command(CLI::App& trial_group, App& app);
void add_reproduce_command(CLI::App& trial_group, App& app);
void add_local_commands(CLI::App& root, App& app);
void add_login_commands(CLI::App& root, App& app);
void add_run_command(CLI::App& root, App& app);
void add_completion_command(CLI::App& root, App& app);

}  // namespace dt::cli
