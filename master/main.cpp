// dt-master: options, signals, exit codes. 0: asked to stop · 1: could not start · 3: another master
// took over · 4: commits were lost, the operator must decide.
#include <malloc.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <filesystem>

#include "base/data_dir.h"
#include "base/ending.h"
#include "base/version.h"
#include "core/sched/pool_option.h"
#include "master/own_log.h"
#include "master/server.h"
#include "master/store/private_postgres.h"

namespace {

using namespace dt;  // NOLINT: a main file

int exit_code_of(master::LoopEnd end) {
  switch (end) {
    case master::LoopEnd::asked: return 0;
    case master::LoopEnd::fenced:
      spdlog::error("another master took this database over; this one ends");
      return 3;
    case master::LoopEnd::commits_lost:
      spdlog::error("an agent has seen commits that this database lacks: it was restored from an "
                    "older state. Start with --accept-loss to go on without them");
      return 4;
  }
  return 1;
}

int run(const master::ServerOptions& options) {
  const Ending ending;
  std::atomic<int> code = 0;
  auto server = master::Server::open(options, [&](master::LoopEnd end) {
    code = exit_code_of(end);
    Ending::end();
  });
  if (!server.ok()) {
    spdlog::error("{}", server.status().text());
    return 1;
  }
  // The line that scripts wait for.
  std::printf("ready grpc=%s http=%s\n", (*server)->grpc_address().c_str(),
              (*server)->http_address().c_str());
  std::fflush(stdout);
  ending.wait();
  spdlog::info("stopping");
  return code;
}

// Each batch takes much memory and gives it back; as it comes, the allocator would return it to the
// system and ask for it again every time, which costs more than what is done with it.
void keep_freed_memory() {
  ::mallopt(M_TRIM_THRESHOLD, 32 << 20);
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  spdlog::set_default_logger(spdlog::stderr_logger_mt("master"));
  spdlog::default_logger()->sinks().push_back(master::own_log_sink());
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");

  CLI::App app("dt-master: searches hyperparameters, schedules slots, keeps every metric");
  app.set_version_flag("--version", std::string("dt-master ") + version);
  master::ServerOptions options{.data_dir = default_data_dir() + "/master", .database = {}};
  double lease_s = 180;
  std::vector<std::string> pools;
  bool stop_database = false;
  app.add_option("--dir", options.data_dir, "data folder")->capture_default_str();
  app.add_option("--db", options.database,
                 "postgresql://… of your own server; without it a private one is made and run");
  app.add_option("--grpc", options.grpc_address, "where gRPC listens")->capture_default_str();
  app.add_option("--http", options.http_address, "where HTTP listens")->capture_default_str();
  app.add_option("--lease", lease_s, "seconds that agents may train without the master; 0: forever")
      ->capture_default_str();
  app.add_option("--pool", pools,
                 "a pool and its scheduler, for each pool once: NAME[:KEY[=VALUE],…] with "
                 "scheduler=priority|fair_share|fifo|attained, preemption, heterogeneous, "
                 "fit=best|worst|random|fgd|fragmentation (docs/scheduling.md)");
  app.add_option("--tls-cert", options.tls_certificate, "PEM file for gRPC")->check(CLI::ExistingFile);
  app.add_option("--tls-key", options.tls_key, "PEM file for gRPC")->check(CLI::ExistingFile);
  app.add_flag("--insecure", options.insecure, "allow listening beyond loopback without TLS");
  app.add_flag("--accept-loss", options.accept_loss,
               "go on with a database that was restored from an older state");
  app.add_flag("--stop-database", stop_database,
               "only stop the private PostgreSQL that a master left running in the data folder");
  CLI11_PARSE(app, argc, argv);

  options.agent_lease = Duration(static_cast<std::int64_t>(lease_s * 1000));
  for (const std::string& text : pools) {
    auto pool = core::parse_pool(text);
    if (!pool.ok()) {
      spdlog::error("{}", pool.status().text());
      return 1;
    }
    options.pools.insert_or_assign(pool->first, pool->second);
  }
  options.data_dir = std::filesystem::absolute(options.data_dir).lexically_normal().string();
  if (!stop_database) return run(options);
  const Status status = master::PrivatePostgres::stop_in(options.data_dir);
  if (!status.ok()) spdlog::error("{}", status.text());
  return status.ok() ? 0 : 1;
}
