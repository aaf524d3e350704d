// dt-agent: options and signals. SIGTERM and SIGINT: kill what it holds, tell the master, end.
// SIGKILL (a crash, an upgrade): shims go on, and the next dt-agent on this folder finds them
// again. Exit codes: 0 it was asked to leave · 1 it could not begin or go on.
#include <fcntl.h>
#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <thread>

#include "agent/agent.h"
#include "base/version.h"

namespace {

using namespace dt;  // NOLINT: a main file

// Before any thread, so that all of them leave these signals alone.
int block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

// Descriptors 0 to 2 must be open, or what is opened next would take their place.
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) close(fd);
}

int run(const agent::AgentOptions& options, int signal_fd) {
  auto opened = agent::Agent::open(options);
  if (!opened.ok()) {
    spdlog::error("{}", opened.status().text());
    return 1;
  }
  std::atomic<bool> has_ended = false;
  std::jthread listener([&] {
    signalfd_siginfo info;
    while (read(signal_fd, &info, sizeof info) == sizeof info && !has_ended) {
      spdlog::info("leaving: {} was sent", info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM");
      (*opened)->shut_down();
    }
  });
  const Status ended = (*opened)->run();
  has_ended = true;
  kill(getpid(), SIGTERM);  // ends the listener
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
  const int signal_fd = block_signals();
  spdlog::set_default_logger(spdlog::stderr_logger_mt("dt-agent"));
  CLI::App app(
      "The daemon of one node: starts and stops ranks as the master wants, relays what "
      "they say, moves contexts and checkpoints.");
  agent::AgentOptions options;
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  return run(options, signal_fd);
}
