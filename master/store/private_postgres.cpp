#include "master/store/private_postgres.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/disk_space.h"
#include "formats/sha256.h"
#include "master/store/private_files.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::size_t socket_folder_bytes_max = 90;  // + "/.s.PGSQL.5432" stays below 108
constexpr std::size_t log_bytes_max = 10 << 20;
constexpr std::size_t log_tail_bytes = 2000;
constexpr const char* database_name = "dovetail";

Result<std::string> random_password() {
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return internal("the system gives no random numbers: ", std::strerror(errno));
  }
  return sha256_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string quoted(const std::string& text) {  // for postgresql.conf and libpq alike
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The end of what a program or the server said, on one line.
std::string tail_of(std::string text) {
  if (text.size() > log_tail_bytes) text.erase(0, text.size() - log_tail_bytes);
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

Status program_failed(const std::string& doing, const std::string& said,
                      const std::string& folder) {
  const std::string what = cat(doing, " failed: ", tail_of(said));
  const bool is_full = said.find("No space left on device") != std::string::npos;
  return is_full ? no_space_left(what, folder) : internal(what);
}

// The user an existing cluster belongs to, the one asked for, or the first fitting one.
Result<OsUser> choose_user(const PrivatePostgresOptions& options, const std::string& data) {
  struct stat found {};
  const bool exists = stat(data.c_str(), &found) == 0;
  if (geteuid() != 0) {
    if (!exists || found.st_uid == geteuid()) return present_user();
    return permission_denied(data, " belongs to another user (id ", found.st_uid, ")")
        .with_hint("run dt-master as that user or as root, or name another data folder");
  }
  if (exists && found.st_uid != 0) return os_user(found.st_uid);
  if (!options.run_as.empty()) return os_user(options.run_as);
  for (const char* name : {"dovetail", "postgres", "nobody"}) {
    if (Result<OsUser> user = os_user(name); user.ok()) return user;
  }
  return failed_precondition("PostgreSQL does not run as root and there is no user for it")
      .with_hint("useradd --system dovetail");
}

int version_of_cluster(const std::string& data) {
  const std::string text = read_file(data + "/PG_VERSION");
  int version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

int pid_in_file(const std::string& path) {
  const std::string text = line_of(read_file(path), 1);
  int pid = 0;
  std::from_chars(text.data(), text.data() + text.size(), pid);
  return std::max(pid, 0);
}

// Is the process this cluster's server, and not one that is dead but unburied, or another program
// that has got the number since?
bool is_server_of(int pid, const std::string& data) {
  const std::string proc = cat("/proc/", pid);
  const std::string status = read_file(proc + "/stat");  // "71 (postgres) S 1 …"
  const std::size_t name_end = status.rfind(") ");
  if (name_end == std::string::npos || status.find("(postgres)") == std::string::npos) return false;
  const char state = status[name_end + 2];
  if (state == 'Z' || state == 'X') return false;
  std::error_code error;
  return fs::equivalent(fs::read_symlink(proc + "/cwd", error), data, error);
}

int pid_of_cluster(const std::string& data) {
  const int pid = pid_in_file(data + "/postmaster.pid");
  return pid != 0 && is_server_of(pid, data) ? pid : 0;
}

// PostgreSQL takes any process with the number in its lock files for its own and would not start.
// (Its lock on shared memory still keeps two servers from one cluster.)
void drop_if_stale(const std::string& lock_file, const std::string& data) {
  const int pid = pid_in_file(lock_file);
  if (pid != 0 && !is_server_of(pid, data)) unlink(lock_file.c_str());
}

}  // namespace

PrivatePostgres::PrivatePostgres(PrivatePostgresOptions options, OsUser user,
                                 PostgresPrograms programs)
    : options_(std::move(options)), user_(std::move(user)), programs_(std::move(programs)) {}

std::string PrivatePostgres::folder(const char* name) const {
  return options_.data_dir + "/postgres/" + name;
}

std::string PrivatePostgres::service_file() const { return folder("service.conf"); }

int PrivatePostgres::pid() const { return pid_of_cluster(folder("data")); }

std::string PrivatePostgres::connection_to(const std::string& database) const {
  return cat("host=", quoted(socket_folder_), " port=5432 user=", database_name,
             " password=", password_, " dbname=", database, " connect_timeout=10");
}

Result<PrivatePostgres> PrivatePostgres::open(const PrivatePostgresOptions& options) {
  if (options.data_dir.empty() || options.data_dir.front() != '/') {
    return invalid_argument("the data folder '", options.data_dir, "' is not an absolute path");
  }
  const std::string data = options.data_dir + "/postgres/data";
  OsUser user = TRY(choose_user(options, data));
  PostgresPrograms programs = TRY(find_postgres_programs(version_of_cluster(data)));
  PrivatePostgres postgres(options, std::move(user), std::move(programs));
  TRY(postgres.make_folders());
  TRY(check_reachable(data, postgres.user_));
  TRY(postgres.make_cluster());
  TRY(postgres.choose_socket_folder());
  postgres.connection_ = postgres.connection_to(database_name);
  TRY(postgres.start());
  TRY(postgres.make_database());
  TRY(postgres.write_service_file());
  return postgres;
}

Status PrivatePostgres::make_folders() {
  std::error_code error;
  fs::create_directories(options_.data_dir, error);
  if (error) return failed_precondition("making ", options_.data_dir, ": ", error.message());
  // Ours, not PostgreSQL's: root must not write where an unprivileged user can plant links.
  const std::string top = options_.data_dir + "/postgres";
  if (mkdir(top.c_str(), 0711) != 0 && errno != EEXIST) return file_error("making", top);
  if (chmod(top.c_str(), 0711) != 0) return file_error("opening up", top);
  return make_private_folder(folder("log"), user_);
}

// In a folder of another name first, so that a cluster that is there is whole.
Status PrivatePostgres::make_cluster() {
  const std::string data = folder("data");
  const std::string password_file = folder("password");
  if (fs::exists(data)) {
    password_ = line_of(read_file(password_file), 1);
    if (!password_.empty()) return {};
    return failed_precondition("the database's password file ", password_file, " cannot be read")
        .with_hint("run dt-master as the user that made the data folder");
  }
  password_ = TRY(random_password());
  TRY(write_file(password_file, password_ + "\n", 0600));

  const std::string draft = folder("data.new");
  const std::string password_copy = folder("password.initdb");  // initdb runs as the other user
  std::error_code error;
  fs::remove_all(draft, error);
  TRY(make_private_folder(draft, user_));
  TRY(write_file(password_copy, password_ + "\n", 0600));
  if (chown(password_copy.c_str(), user_.id, user_.group) != 0) {
    return file_error("giving away", password_copy);
  }
  const Result<ProgramEnd> end = run_program(
      {programs_.folder + "/initdb", "-D", draft, "-U", database_name, "--pwfile=" + password_copy,
       "--auth=scram-sha-256", "-E", "UTF8", "--locale=C", "--data-checksums"},
      user_);
  unlink(password_copy.c_str());
  if (!end.ok()) return end.status();
  if (end->code != 0) {
    return program_failed(cat("making a database in ", data), end->output, options_.data_dir);
  }
  if (rename(draft.c_str(), data.c_str()) != 0) return file_error("renaming", draft);
  return {};
}

Status PrivatePostgres::choose_socket_folder() {
  // One that runs tells where its socket is.
  socket_folder_ = pid() == 0 ? "" : line_of(read_file(folder("data/postmaster.pid")), 5);
  if (!socket_folder_.empty()) return {};
  socket_folder_ = folder("socket");
  if (socket_folder_.size() > socket_folder_bytes_max) {
    const char* own = std::getenv("XDG_RUNTIME_DIR");
    const bool has_own = own != nullptr && *own == '/' && access(own, W_OK) == 0;
    const std::string base = geteuid() == 0 ? "/run" : has_own ? own : "/tmp";
    socket_folder_ = cat(base, "/dovetail-", sha256_hex(options_.data_dir).substr(0, 16));
  }
  return make_private_folder(socket_folder_, user_);
}

Status PrivatePostgres::write_settings() {
  const std::string settings = cat(
      "# Written by dt-master at every start; put your own settings into local.conf here.\n",
      "hba_file = ", quoted(folder("pg_hba.conf")), "\n", "listen_addresses = ''\nport = 5432\n",
      "unix_socket_directories = ", quoted(cat('"', socket_folder_, '"')), "\n",
      "unix_socket_permissions = 0700\npassword_encryption = 'scram-sha-256'\n",
      "cluster_name = 'dovetail'\nmax_connections = 50\nshared_buffers = 128MB\n",
      "fsync = on\nsynchronous_commit = on\nlog_checkpoints = off\n",
      "jit = off\n",  // it costs more than our short queries take
      "datestyle = 'iso'\ntimezone = 'UTC'\nlog_timezone = 'UTC'\nlc_messages = 'C'\n",
      "include_if_exists = 'local.conf'\n");
  TRY(write_file(folder("postgresql.conf"), settings, 0644));
  if (!fs::exists(folder("local.conf"))) TRY(write_file(folder("local.conf"), "", 0644));
  return write_file(folder("pg_hba.conf"), "local all all scram-sha-256\n", 0644);
}

Status PrivatePostgres::run_pg_ctl(const std::vector<std::string>& words, const char* doing) {
  std::vector<std::string> command = {programs_.folder + "/pg_ctl",
                                      "-D",
                                      folder("data"),
                                      "-w",
                                      "-t",
                                      std::to_string(options_.start_timeout.count())};
  command.insert(command.end(), words.begin(), words.end());
  const std::size_t logged_before = read_file(folder("log/postgres.log")).size();
  const ProgramEnd end = TRY(run_program(command, user_));
  if (end.code == 0) return {};
  const std::string log = read_file(folder("log/postgres.log"));
  return program_failed(cat(doing, " PostgreSQL in ", options_.data_dir),
                        cat(end.output, log.substr(std::min(log.size(), logged_before))),
                        options_.data_dir);
}

Status PrivatePostgres::start() {
  const auto deadline = steady_clock::now() + options_.start_timeout;
  adopted_ = false;
  while (pid() != 0) {  // unless it is just stopping
    const Status ready = wait_until_ready();
    adopted_ = ready.ok();
    if (ready.ok() || ready.code() != Code::unavailable) return ready;
    if (steady_clock::now() > deadline) return ready;
  }
  TRY(make_private_folder(socket_folder_, user_));  // /run is empty after a reboot
  TRY(write_settings());
  drop_if_stale(folder("data/postmaster.pid"), folder("data"));
  drop_if_stale(socket_folder_ + "/.s.PGSQL.5432.lock", folder("data"));
  const std::string log = folder("log/postgres.log");
  std::error_code error;
  if (fs::file_size(log, error) > log_bytes_max && !error) {
    fs::rename(log, log + ".old", error);
  }
  for (;;) {
    const Status started =
        run_pg_ctl({"-s", "-l", log, "-o",
                    "--config-file=" + shell_quoted(folder("postgresql.conf")), "start"},
                   "starting");
    // After a kill of the server's first process the others take a moment to notice.
    const bool remains =
        started.message().find("pre-existing shared memory block") != std::string::npos;
    if (!remains || steady_clock::now() > deadline) return started;
    poll(nullptr, 0, 100);
  }
}

// Of a server that runs: it may be starting or recovering. Ends early when it is gone.
Status PrivatePostgres::wait_until_ready() {
  const auto deadline = steady_clock::now() + options_.start_timeout;
  for (;;) {
    Status status =
        with_session(connection_to("postgres"), [](pqxx::connection&) { return Status(); });
    if (status.ok()) return status;
    if (status.message().find("password authentication failed") != std::string::npos) {
      return permission_denied("the PostgreSQL in ", options_.data_dir,
                               " does not take the password in ", folder("password"));
    }
    if (pid() == 0 || steady_clock::now() > deadline) return status;
    poll(nullptr, 0, 50);
  }
}

Status PrivatePostgres::make_database() {
  bool exists = false;
  TRY(with_session(connection_to("postgres"), [&](pqxx::connection& link) {
    pqxx::nontransaction bracket(link);
    exists =
        !bracket.exec_params("SELECT 1 FROM pg_database WHERE datname = $1", database_name).empty();
    return Status();
  }));
  if (exists) return {};
  return run_alone(connection_to("postgres"), "CREATE DATABASE dovetail TEMPLATE template0");
}

Status PrivatePostgres::write_service_file() {
  return write_file(service_file(),
                    cat("[dovetail]\nhost=", socket_folder_, "\nport=5432\nuser=", database_name,
                        "\npassword=", password_, "\ndbname=", database_name, "\n"),
                    0600);
}

Status PrivatePostgres::stop() {
  if (pid() == 0) return {};
  return run_pg_ctl({"-m", "fast", "stop"}, "stopping");
}

Status PrivatePostgres::stop_in(const std::string& data_dir) {
  const PrivatePostgresOptions options{.data_dir = data_dir};
  const std::string data = data_dir + "/postgres/data";
  if (pid_of_cluster(data) == 0) return {};
  OsUser user = TRY(choose_user(options, data));
  PostgresPrograms programs = TRY(find_postgres_programs(version_of_cluster(data)));
  return PrivatePostgres(options, std::move(user), std::move(programs)).stop();
}

}  // namespace dt::master
