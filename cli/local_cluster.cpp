#include "cli/local_cluster.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/local_prefix.h"
#include "client/client.h"
#include "dovetail/v1/admin.grpc.pb.h"
#include "formats/json.h"

namespace dt::cli {
namespace {

namespace fs = std::filesystem;
namespace v1 = ::dovetail::v1;

constexpr std::chrono::seconds master_starts_within{120};  // the first time it makes a database
constexpr std::chrono::seconds agents_join_within{30};
constexpr std::chrono::seconds daemon_ends_within{40};
constexpr std::chrono::milliseconds look_again{100};

// Held while the cluster is brought up or down; the file goes with the cluster.
class FolderGuard {
 public:
  static Result<FolderGuard> take(const std::string& dir) {
    const std::string path = dir + "/local.lock";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return internal("cannot make ", path);
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return FolderGuard(fd);
    ::close(fd);
    return failed_precondition("another dtctl is at work in ", dir).with_hint("wait for it");
  }
  FolderGuard(FolderGuard&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FolderGuard& operator=(FolderGuard&&) = delete;
  ~FolderGuard() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  explicit FolderGuard(int fd) : fd_(fd) {}
  int fd_;
};

std::string token_in(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  file >> token;
  return token;
}

// "ready grpc=127.0.0.1:8081 http=127.0.0.1:8080"
std::string field_of(const std::string& line, const std::string& name) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return "";
}

std::string port_of(const std::string& address) {
  return address.substr(address.rfind(':') + 1);
}

int cores_each(const LocalOptions& options) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::max(1, cores / std::max(1, options.agents));
}

int slots_each(const LocalOptions& options) {
  return options.slots > 0 ? options.slots : cores_each(options);
}

const Daemon* find_daemon(const LocalState& state, const std::string& name) {
  const auto it = std::find_if(state.daemons.begin(), state.daemons.end(),
                               [&](const Daemon& daemon) { return daemon.name == name; });
  return it == state.daemons.end() ? nullptr : &*it;
}

bool runs(const LocalState& state, const std::string& name) {
  const Daemon* daemon = find_daemon(state, name);
  return daemon && is_alive(*daemon);
}

Status did_not_start(const std::string& log) {
  const std::string end = tail_of(log, 5);
  Status status = failed_precondition("the master did not start; the end of ", log, ":", end);
  if (end.find("cannot listen on") == std::string::npos) return status;
  return std::move(status).with_hint(
      "choose other ports with --grpc-port and --http-port; 0 takes a free one");
}

// What runs keeps its options; to ask for others and not to get them would be a surprise.
Status check_keeps(const Daemon& daemon, const LocalOptions& options) {
  for (const auto& [name, wanted] : options.given) {
    const auto has = daemon.options.find(name);
    const bool any_port = wanted == "0" && name.ends_with("-port");
    if (has == daemon.options.end() || has->second == wanted || any_port) continue;
    return failed_precondition(daemon.name, " runs already, with ", name, " ", has->second)
        .with_hint(cat("leave ", name, " out, or end the cluster first: dtctl local down"));
  }
  return {};
}

void put_daemon(LocalState& state, const Daemon& daemon) {
  std::erase_if(state.daemons, [&](const Daemon& old) { return old.name == daemon.name; });
  const auto place = daemon.name == "master" ? state.daemons.begin() : state.daemons.end();
  state.daemons.insert(place, daemon);
}

}  // namespace

Result<std::int64_t> parse_seconds(const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, number);
  const std::string rest(unit, end);
  if (error == std::errc() && number >= 0) {
    if (rest.empty() || rest == "s") return number;
    if (rest == "m") return number * 60;
    if (rest == "h") return number * 3600;
  }
  return invalid_argument("\"", text, "\" is no duration").with_hint("as in 20s, 3m or 0");
}

Result<LocalState> LocalCluster::state() const {
  std::ifstream file(dir_ + "/local.json");
  if (!file) {
    return not_found("no local cluster is in ", dir_).with_hint("start one with dtctl local up");
  }
  std::ostringstream text;
  text << file.rdbuf();
  const Value value = TRY(parse_json(text.str()));
  LocalState state;
  if (value["grpc"].is_string()) state.grpc_address = value["grpc"].as_string();
  if (value["http"].is_string()) state.http_address = value["http"].as_string();
  if (value["daemons"].is_array()) {
    for (const Value& daemon : value["daemons"].as_array())
      state.daemons.push_back(daemon_from(daemon));
  }
  return state;
}

Status LocalCluster::save(const LocalState& state) const {
  Value::Array daemons;
  for (const Daemon& daemon : state.daemons) daemons.push_back(to_value(daemon));
  Value value;
  value.set("grpc", state.grpc_address).set("http", state.http_address);
  value.set("daemons", std::move(daemons));
  const std::string path = dir_ + "/local.json";
  {
    std::ofstream file(path + ".new", std::ios::trunc);
    file << to_json_pretty(value) << "\n";
    if (!file.flush()) return internal("cannot write ", path);
  }
  std::error_code error;
  fs::rename(path + ".new", path, error);
  return error ? internal("cannot write ", path, ": ", error.message()) : Status();
}

Result<client::Credentials> LocalCluster::credentials(const LocalState& state) const {
  const std::string token = token_in(master_dir() + "/admin.token");
  if (token.empty()) return not_found("there is no token in ", master_dir(), "/admin.token");
  return client::Credentials{.address = state.grpc_address,
                             .http_address = state.http_address,
                             .user = "admin",
                             .token = token,
                             .tls_ca = {}};
}

Result<LocalState> LocalCluster::up(const LocalOptions& options) {
  TRY(parse_seconds(options.lease));
  std::error_code error;
  fs::create_directories(dir_ + "/logs", error);
  if (error) return internal("making ", dir_, ": ", error.message());
  const FolderGuard guard = TRY(FolderGuard::take(dir_));
  LocalState state = this->state().value_or({});
  for (const Daemon& daemon : state.daemons) {
    if (is_alive(daemon)) TRY(check_keeps(daemon, options));
  }
  if (!runs(state, "master")) TRY(start_master(options, state));
  TRY(save(state));
  const std::string prefix = TRY(stage_prefix(dir_));
  for (int number = 1; number <= options.agents; ++number) {
    if (runs(state, cat("agent-", number))) continue;
    TRY(start_agent(number, options, prefix, state));
    TRY(save(state));
  }
  TRY(wait_for_agents(state, options.agents));
  return state;
}

Status LocalCluster::start_master(const LocalOptions& options, LocalState& state) const {
  const std::string log = dir_ + "/logs/master.log";
  const std::int64_t lease_s = TRY(parse_seconds(options.lease));
  const StartedDaemon started = TRY(start_daemon(
      {.name = "master",
       .argv = {program_path("dt-master"), "--dir", master_dir(), "--grpc",
                cat("127.0.0.1:", options.grpc_port), "--http",
                cat("127.0.0.1:", options.http_port), "--lease", std::to_string(lease_s)},
       .environment = {},
       .log = log},
      master_starts_within));
  if (started.ready.empty()) {
    (void)end_daemon(started.daemon, daemon_ends_within);  // it failed already; its log is the news
    return did_not_start(log);
  }
  state.grpc_address = field_of(started.ready, "grpc");
  state.http_address = field_of(started.ready, "http");
  Daemon master = started.daemon;
  master.options = {{"--lease", options.lease},
                    {"--grpc-port", port_of(state.grpc_address)},
                    {"--http-port", port_of(state.http_address)}};
  put_daemon(state, master);
  return {};
}

Status LocalCluster::start_agent(int number, const LocalOptions& options, const std::string& prefix,
                                 LocalState& state) const {
  const std::string name = cat("agent-", number);
  const StartedDaemon started = TRY(start_daemon(
      {.name = name,
       .argv = {program_path("dt-agent"), "--master", state.grpc_address, "--dir",
                cat(dir_, "/", name), "--token-file", master_dir() + "/agent.token", "--name", name,
                "--address", "127.0.0.1", "--slots", std::to_string(slots_each(options)), "--cores",
                std::to_string(cores_each(options))},
       .environment = {{"DT_PREFIX", prefix}},
       .log = cat(dir_, "/logs/", name, ".log")},
      agents_join_within));
  Daemon agent = started.daemon;
  agent.options = {{"--slots", std::to_string(options.slots)}};
  put_daemon(state, agent);
  return {};
}

Status LocalCluster::wait_for_agents(const LocalState& state, int wanted) const {
  const client::Client client(TRY(credentials(state)));
  const auto deadline = std::chrono::steady_clock::now() + agents_join_within;
  int joined = 0;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto listed =
        TRY(client.call<v1::Admin>(&v1::Admin::Stub::ListAgents, v1::ListAgentsRequest()));
    joined =
        static_cast<int>(std::count_if(listed.agents().begin(), listed.agents().end(),
                                       [](const auto& a) { return a.state() == "connected"; }));
    if (joined >= wanted) return {};
    for (const Daemon& daemon : state.daemons) {
      if (is_alive(daemon)) continue;
      const std::string log = cat(dir_, "/logs/", daemon.name, ".log");
      return failed_precondition(daemon.name, " ended; the end of ", log, ":", tail_of(log, 5));
    }
    std::this_thread::sleep_for(look_again);
  }
  return deadline_exceeded(joined, " of ", wanted, " agents joined in ", agents_join_within.count(),
                           " s")
      .with_hint(cat("see ", dir_, "/logs"));
}

Status LocalCluster::down() {
  LocalState state = TRY(this->state());
  const FolderGuard guard = TRY(FolderGuard::take(dir_));
  // Agents first: each takes its ranks with it and tells the master.
  std::reverse(state.daemons.begin(), state.daemons.end());
  for (const Daemon& daemon : state.daemons) {
    if (daemon.name != "master") TRY(end_daemon(daemon, daemon_ends_within));
  }
  TRY(end_leftovers());
  for (const Daemon& daemon : state.daemons) TRY(end_daemon(daemon, daemon_ends_within));
  TRY(run_program({.name = "stopping PostgreSQL",
                   .argv = {program_path("dt-master"), "--stop-database", "--dir", master_dir()},
                   .environment = {},
                   .log = dir_ + "/logs/master.log"}));
  std::error_code error;
  fs::remove(dir_ + "/local.json", error);
  fs::remove(dir_ + "/local.lock", error);
  return {};
}

// Shims outlive an agent that was killed; here nobody will come back for them.
Status LocalCluster::end_leftovers() const {
  for (const Daemon& shim : find_processes({"dt-shim", dir_ + "/agent-"})) {
    TRY(end_daemon(shim, daemon_ends_within));
  }
  return {};
}

}  // namespace dt::cli
