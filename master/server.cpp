#include "master/server.h"

#include <fcntl.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "base/once_a_minute.h"
#include "master/auth.h"
#include "master/blobs.h"
#include "master/deletion.h"
#include "master/http/json_api.h"
#include "master/http/server.h"
#include "master/port_check.h"
#include "master/rpc/services.h"
#include "master/store/folder_lock.h"
#include "master/store/postgres_store.h"
#include "master/store/private_postgres.h"

namespace dt::master {
namespace {

constexpr int message_bytes_max = 32 * 1024 * 1024;
constexpr auto look_after_every = std::chrono::seconds(1);
constexpr int tidy_up_every = 60;  // looks
constexpr std::chrono::seconds slow_after{5};
// A call waits on its thread for the loop's commit. Threads that wait for calls are cheap; to begin and
// end one for each call is not.
constexpr int waiting_threads = 64;
constexpr auto streams_end_within = std::chrono::seconds(2);

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found("cannot read ", path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The secret in the file, made and kept (0600) when there is none.
Result<std::string> kept_secret(const std::filesystem::path& path) {
  Result<std::string> kept = read_file(path);
  if (kept.ok() && kept->size() >= 64) return kept->substr(0, 64);
  const std::string secret = make_token();
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return internal("cannot make ", path.string());
  const std::string line = secret + "\n";
  const bool written = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const bool synced = ::fsync(fd) == 0;
  ::close(fd);
  if (!written || !synced) return internal("cannot write ", path.string());
  return secret;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address.starts_with("localhost:") ||
         address.starts_with("[::1]");
}

Status check_addresses(const ServerOptions& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return invalid_argument("TLS needs both --tls-cert and --tls-key");
  }
  const bool has_tls = !options.tls_certificate.empty();
  if (options.insecure) return {};
  if (!is_loopback(options.grpc_address) && !has_tls) {
    return failed_precondition("gRPC at ", options.grpc_address,
                               " would be open to the network without encryption")
        .with_hint("give --tls-cert and --tls-key, or --insecure if the network is trusted");
  }
  if (!is_loopback(options.http_address)) {
    return failed_precondition("HTTP at ", options.http_address,
                               " would be open to the network without encryption")
        .with_hint("put a TLS proxy before a loopback address, or --insecure");
  }
  return {};
}

Result<std::shared_ptr<grpc::ServerCredentials>> credentials(const ServerOptions& options) {
  if (options.tls_certificate.empty()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions tls;
  tls.pem_key_cert_pairs.push_back(
      {TRY(read_file(options.tls_key)), TRY(read_file(options.tls_certificate))});
  return grpc::SslServerCredentials(tls);
}

}  // namespace

// Members are in the order of opening; the destructor closes them in the opposite one.
class Server::State {
 public:
  explicit State(ServerOptions options) : options_(std::move(options)) {}
  ~State() { close(); }

  Status open(std::function<void(LoopEnd)> on_end) {
    TRY(check_addresses(options_));
    TRY(open_folder());
    TRY(check_free("gRPC", options_.grpc_address, "--grpc"));
    TRY(check_free("HTTP", options_.http_address, "--http"));
    const Status opened = open_rest(std::move(on_end));
    if (!opened.ok()) {
      leave_no_database();
      return opened;
    }
    keeper_ = std::jthread([this](const std::stop_token& stop) { look_after(stop); });
    return {};
  }

  const std::string& grpc_address() const { return grpc_address_; }
  const std::string& http_address() const { return http_->address(); }

 private:
  Status open_rest(std::function<void(LoopEnd)> on_end) {
    TRY(open_database());
    TRY(open_loop(std::move(on_end)));
    http_ = TRY(HttpServer::listen(options_.http_address));  // its address is told by gRPC
    TRY(open_grpc());
    serve_http();
    return {};
  }

  // A master that could not begin takes the database with it that it started.
  void leave_no_database() {
    if (!postgres_ || postgres_->was_adopted()) return;
    close();
    const Status stopped = postgres_->stop();
    if (!stopped.ok()) spdlog::warn("{}", stopped.text());
  }

  Status open_folder() {
    std::error_code error;
    std::filesystem::create_directories(options_.data_dir, error);
    if (error) return internal("making ", options_.data_dir, ": ", error.message());
    lock_.emplace(TRY(FolderLock::take(options_.data_dir)));
    contexts_.emplace(TRY(Blobs::open(folder() / "contexts")));
    checkpoints_.emplace(TRY(Blobs::open(folder() / "checkpoints")));
    return {};
  }

  Status open_database() {
    std::string connection = options_.database;
    if (connection.empty()) {
      postgres_.emplace(TRY(PrivatePostgres::open({.data_dir = options_.data_dir})));
      connection = postgres_->connection();
    }
    const std::string its_folder = postgres_ ? options_.data_dir + "/postgres" : "";
    store_ = TRY(PostgresStore::open({.connection = connection, .folder = its_folder}));
    return {};
  }

  Status open_loop(std::function<void(LoopEnd)> on_end) {
    auth_.emplace(*store_, TRY(kept_secret(folder() / "secret")));
    TRY(keep_token("admin.token", {.name = "admin", .admin = true}));
    TRY(keep_token("agent.token", {.name = agent_user, .admin = false}));
    loop_.emplace(core::MasterOptions{.agent_lease = options_.agent_lease, .pools = options_.pools},
                  *store_, clock_);
    loop_->on_end(std::move(on_end));
    deletion_.emplace(*loop_, *store_, *checkpoints_);
    loop_->on_experiment_end([this] { deletion_->wake(); });
    return loop_->start(make_token(), options_.accept_loss);
  }

  Status keep_token(const char* file, const User& user) {
    const std::string token = TRY(kept_secret(folder() / file));
    TRY(store_->put_user(user, ""));
    return store_->put_token(token_hash(token), user.name, file);
  }

  Status open_grpc() {
    log_matcher_.emplace(*store_);
    const Services services{*loop_, *store_,    *auth_,        *contexts_,      *checkpoints_,
                            clock_, *deletion_, *log_matcher_, http_->address()};
    services_.push_back(make_experiments_service(services));
    services_.push_back(make_trials_service(services));
    services_.push_back(make_jobs_service(services));
    services_.push_back(make_searches_service(services));
    services_.push_back(make_metrics_service(services));
    services_.push_back(make_logs_service(services));
    services_.push_back(make_watch_service(services));
    services_.push_back(make_contexts_service(services));
    services_.push_back(make_admin_service(services));
    services_.push_back(make_agent_link_service(services));
    grpc::ServerBuilder builder;
    int port = 0;
    // Two masters must not share one port silently.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort(options_.grpc_address, TRY(credentials(options_)), &port);
    builder.SetMaxReceiveMessageSize(message_bytes_max);
    builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS,
                                waiting_threads);
    for (const auto& service : services_) builder.RegisterService(service.get());
    grpc_ = builder.BuildAndStart();
    if (!grpc_ || port == 0) {
      return unavailable("gRPC cannot listen on ", options_.grpc_address)
          .with_hint("is another master running? end it, or choose another port with --grpc");
    }
    grpc_address_ =
        cat(options_.grpc_address.substr(0, options_.grpc_address.rfind(':')), ":", port);
    return {};
  }

  void serve_http() {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    json_api_.emplace(*loop_, grpc_->InProcessChannel(arguments), grpc_address_);
    http_->serve(*json_api_);
  }

  // Restarts a private PostgreSQL that died and keeps the store tidy.
  void look_after(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never_told;
    for (int looks = 1;; ++looks) {
      std::unique_lock lock(mutex);
      never_told.wait_for(lock, stop, look_after_every, [] { return false; });
      if (stop.stop_requested()) return;
      look_after_database();
      if (looks % tidy_up_every != 0) continue;
      const Status status = store_->tidy_up(to_ms(clock_.now()));
      if (!status.ok()) spdlog::warn("tidying up the store: {}", status.text());
    }
  }

  void look_after_database() {
    const std::chrono::seconds silent = store_->longest_run();
    if (silent >= slow_after && complaints_.is_due("slow")) {
      spdlog::warn("the database is slow or hangs: it has not answered for {} s", silent.count());
    }
    if (!postgres_ || postgres_->is_running()) return;
    const Status status = postgres_->start();
    if (status.ok()) {
      spdlog::warn("PostgreSQL had ended: started again");
    } else if (complaints_.is_due("PostgreSQL")) {
      spdlog::error("PostgreSQL had ended and does not start, tried each second: {}",
                    status.text());
    }
  }

  void close() {
    keeper_ = {};
    if (grpc_) grpc_->Shutdown(std::chrono::system_clock::now() + streams_end_within);
    if (loop_) loop_->stop();
    deletion_.reset();
    http_.reset();
    json_api_.reset();
    grpc_.reset();
  }

  std::filesystem::path folder() const { return options_.data_dir; }

  const ServerOptions options_;
  Clock clock_;
  std::optional<FolderLock> lock_;
  std::optional<Blobs> contexts_;
  std::optional<Blobs> checkpoints_;
  std::optional<PrivatePostgres> postgres_;
  std::unique_ptr<PostgresStore> store_;
  std::optional<Auth> auth_;
  std::optional<Loop> loop_;
  std::optional<Deletion> deletion_;
  std::optional<LogMatcher> log_matcher_;
  std::unique_ptr<HttpServer> http_;
  std::vector<std::unique_ptr<grpc::Service>> services_;
  std::unique_ptr<grpc::Server> grpc_;
  std::string grpc_address_;
  OncePerMinute complaints_;
  std::optional<JsonApi> json_api_;
  std::jthread keeper_;
};

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() = default;
const std::string& Server::grpc_address() const { return state_->grpc_address(); }
const std::string& Server::http_address() const { return state_->http_address(); }

Result<std::unique_ptr<Server>> Server::open(const ServerOptions& options,
                                             std::function<void(LoopEnd)> on_end) {
  auto state = std::make_unique<State>(options);
  TRY(state->open(std::move(on_end)));
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

}  // namespace dt::master
