#include <charconv>

#include "core/agent/shim.h"
#include "shim/launch.h"

namespace dt::shim {

const char* const launch_usage =
    "usage: dt-launch [OPTION]... -- COMMAND [ARGUMENT]...\n\n"
    "Runs ranks of a program on this host, without a master. Each rank finds the harness's\n"
    "variables (DT_RANK, DT_SOCKET, …) and torch's (RANK, WORLD_SIZE, MASTER_ADDR, …). When one\n"
    "rank fails the others are ended. Ctrl-C asks the ranks to checkpoint and stop within 30 s,\n"
    "a second Ctrl-C kills them.\n\n"
    "  --nproc N        how many ranks (1)\n"
    "  --env NAME=VALUE sets a variable for the ranks; may be repeated\n"
    "  --dir DIR        keeps the spool and the checkpoints there, in DIR/spool and\n"
    "                   DIR/checkpoints (else they are removed at the end)\n"
    "  --timeout S      kills the ranks after S seconds; exit code 124\n"
    "  --metrics        prints the metrics that the ranks report\n"
    "  --help           this text\n\n"
    "Exit code: 0 when all ranks are done, 75 when they were preempted, else that of the rank\n"
    "that failed first.\n";

namespace {

constexpr int exit_preempted = 75;
constexpr const char* scrubbed_prefixes[] = {"DT_",   "SLURM_", "OMPI_",        "PMI_",
                                             "PMIX_", "PET_",   "TORCHELASTIC_"};

Result<std::int64_t> positive(const std::string& option, const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc() || stop != end || number < 1) {
    return invalid_argument(option, " must be a number of 1 or more, got '", text, "'");
  }
  return number;
}

Status take_option(const std::string& option, const std::string& value, LaunchOptions& options) {
  if (option == "--nproc") {
    options.nproc = static_cast<int>(TRY(positive(option, value)));
  } else if (option == "--timeout") {
    options.timeout = Duration(1000 * TRY(positive(option, value)));
  } else if (option == "--dir") {
    options.dir = value;
  } else if (option == "--env") {
    const std::size_t equals = value.find('=');
    if (equals == value.npos || equals == 0) {
      return invalid_argument("--env must be NAME=VALUE, got '", value, "'");
    }
    options.env[value.substr(0, equals)] = value.substr(equals + 1);
  } else {
    return invalid_argument("unknown option '", option, "'").with_hint("dt-launch --help");
  }
  return {};
}

bool is_scrubbed(const std::string& name) {
  for (const char* prefix : scrubbed_prefixes) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace

Result<LaunchOptions> parse_launch_arguments(const std::vector<std::string>& arguments) {
  LaunchOptions options;
  std::size_t i = 0;
  while (i < arguments.size() && arguments[i].starts_with("-") && arguments[i] != "--") {
    std::string option = arguments[i++];
    if (option == "--help" || option == "-h") return LaunchOptions{.help = true};
    if (option == "--metrics") {
      options.metrics = true;
      continue;
    }
    std::string value;
    if (const std::size_t equals = option.find('='); equals != option.npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
    } else if (i < arguments.size() && arguments[i] != "--") {
      value = arguments[i++];
    } else {
      return invalid_argument(option, " needs a value").with_hint("dt-launch --help");
    }
    TRY(take_option(option, value, options));
  }
  if (i < arguments.size() && arguments[i] == "--") ++i;
  options.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  if (options.command.empty()) {
    return invalid_argument("there is no command to run")
        .with_hint("dt-launch --nproc 2 -- python3 train.py");
  }
  return options;
}

std::map<std::string, std::string> launch_environment(
    const LaunchOptions& options, const LaunchPlace& place, int rank,
    std::map<std::string, std::string> inherited) {
  std::map<std::string, std::string> env = std::move(inherited);
  std::erase_if(env, [](const auto& variable) { return is_scrubbed(variable.first); });
  const std::string number = cat(rank);
  const std::string size = cat(options.nproc);
  std::string slots;
  for (int i = 0; i < options.nproc; ++i) slots += cat(i == 0 ? "cpu" : ",cpu", i);
  const std::map<std::string, std::string> own = {
      {"DT_MASTER", ""},
      {"DT_CLUSTER_ID", ""},
      {"DT_EXPERIMENT_ID", "1"},
      {"DT_TRIAL_ID", "1"},
      {"DT_TASK_ID", "launch"},
      {"DT_ATTEMPT", "1"},
      {"DT_RESTARTS", "0"},
      {"DT_ALLOCATION_ID", place.allocation},
      {"DT_AGENT_ID", "launch"},
      {"DT_RANK", number},
      {"DT_LOCAL_RANK", number},
      {"DT_SIZE", size},
      {"DT_LOCAL_SIZE", size},
      {"DT_NODE_RANK", "0"},
      {"DT_NODES", "1"},
      {"DT_HPARAMS", "{}"},
      {"DT_CONFIG", "{}"},
      {"DT_LATEST_CHECKPOINT", ""},
      {"DT_SLOT_IDS", slots},
      {"DT_CHECKPOINT_DIR", place.checkpoint_dir},
      {"RANK", number},
      {"WORLD_SIZE", size},
      {"LOCAL_RANK", number},
      {"LOCAL_WORLD_SIZE", size},
      {"GROUP_RANK", "0"},
      {"NODE_RANK", "0"},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", cat(place.port)},
      // Rank 0 makes the store itself; there is no agent's to connect to.
      {"TORCHELASTIC_USE_AGENT_STORE", "False"},
      {"PYTHONUNBUFFERED", "1"}};
  for (const auto& [name, value] : own) env[name] = value;
  // As torchrun does: sums come out in one order, and ranks do not fight for cores.
  env.emplace("OMP_NUM_THREADS", "1");
  for (const auto& [name, value] : options.env) env[name] = value;
  return env;
}

int launch_exit_code(const core::AllocationStatus& status) {
  bool preempted = false;
  int killed = 0;
  for (const core::RankExit& exit : status.exits) {
    if (core::shim::is_failure(exit)) return exit.code;
    if (exit.code == exit_preempted) preempted = true;
    if (exit.code == 0 || exit.code == exit_preempted) continue;
    if (exit.ordered == core::Order::kill) killed = exit.code;
    if (exit.ordered == core::Order::preempt) preempted = true;
  }
  if (killed != 0) return killed;
  if (preempted) return exit_preempted;
  return status.failure.empty() ? 0 : 1;
}

}  // namespace dt::shim
