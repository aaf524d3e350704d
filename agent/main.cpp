// dt-agent: options and signals. SIGTERM and SIGINT: kill what it holds, tell the master, end.
// SIGKILL (a crash, an upgrade): shims go on, and the next dt-agent on this folder finds them
// again. Exit codes: 0 it was asked to leave · 1 it could not begin or go on.
#include <fcntl.h>
#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <map>
#include <string>
#include <thread>

#include "agent/agent.h"
#include "base/ending.h"
#include "base/version.h"

namespace {

using namespace dt;  // NOLINT: a main file

// Descriptors 0 to 2 must be open, or what is opened next would take their place.
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) close(fd);
}

int run(const agent::AgentOptions& options, const Ending& ending) {
  auto opened = agent::Agent::open(options);
  if (!opened.ok()) {
    spdlog::error("{}", opened.status().text());
    return 1;
  }
  std::atomic<bool> has_ended = false;
  std::jthread listener([&] {
    while (true) {
      const int signal = ending.wait();
      if (has_ended) return;
      spdlog::info("leaving: {} was sent", signal == SIGINT ? "SIGINT" : "SIGTERM");
      (*opened)->shut_down();
    }
  });
  const Status ended = (*opened)->run();
  has_ended = true;
  Ending::end();  // the listener's wait
  listener.join();
  if (ended.ok()) return 0;
  spdlog::error("{}", ended.text());
  return 1;
}

void add_options(CLI::App& app, agent::AgentOptions& options) {
  app.set_version_flag("--version", version);
  app.add_option("--master", options.master, "HOST:PORT of the master's gRPC")->required();
  app.add_option("--dir", options.data_dir, "data folder of this agent alone")->required();
  app.add_option("--token-file", options.token_file,
                 "the agents' token, as the master leaves it in its data folder: agent.token")
      ->required();
  app.add_option("--name", options.name, "what people call this node (default: its host name)");
  app.add_option("--address", options.address, "where ranks of other nodes reach this one")
      ->capture_default_str();
  app.add_option("--pool", options.pool, "resource pool")->capture_default_str();
  app.add_option("--slot-type", options.gpus.type,
                 "what a slot is: cuda, cpu, or auto: GPUs where there are any")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, agent::SlotType>{{"auto", agent::SlotType::automatic},
                                                 {"cpu", agent::SlotType::cpu},
                                                 {"cuda", agent::SlotType::cuda}},
          CLI::ignore_case));
  app.add_option("--gpus", options.gpus.only,
                 "those to give out, by index or UUID, with commas between (default: all)");
  app.add_flag("--clear-slot-faults", options.clear_slot_faults,
               "what was found broken in this boot is mended: give it out again");
  app.add_option("--slots", options.slots, "CPU shares (default: one a core)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--cores", options.cores, "cores that the slots share (default: all)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--run-as", options.run_as,
                 "user of ranks and prepare under a root agent (default: dovetail, else nobody)");
  app.add_option("--tls-ca", options.tls_ca, "PEM file that vouches for the master");
  app.add_flag("--insecure", options.insecure, "connect beyond this machine without TLS");
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  const Ending ending;
  spdlog::set_default_logger(spdlog::stderr_logger_mt("dt-agent"));
  CLI::App app(
      "The daemon of one node: starts and stops ranks as the master wants, relays what "
      "they say, moves contexts and checkpoints.");
  agent::AgentOptions options;
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  return run(options, ending);
}
