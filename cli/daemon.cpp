#include "cli/daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace dt::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds look_at_log_every{50};

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Field 22 of /proc/<pid>/stat; 0 when there is no such process or it is a zombie.
std::int64_t start_ticks_of(int pid) {
  const std::string stat = read_whole(cat("/proc/", pid, "/stat"));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(stat.substr(name_end + 2));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return 0;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::int64_t ticks = 0;
  fields >> ticks;
  return ticks;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!more.contains(text.substr(0, text.find('=')))) out.push_back(text);
  }
  for (const auto& [name, value] : more) out.push_back(cat(name, "=", value));
  return out;
}

// In the child, after fork: only calls that are safe there.
[[noreturn]] void become(char* const* argv, char* const* envp, int log) {
  ::setsid();
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::syscall(SYS_close_range, 3, ~0U, 0);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvpe(argv[0], argv, envp);
  const char message[] = "exec failed\n";
  (void)!::write(STDERR_FILENO, message, sizeof message - 1);
  ::_exit(127);
}

// The first whole line of the log, from `start` on, that begins with "ready".
std::string ready_line(const std::string& log, std::streamoff start) {
  std::ifstream file(log);
  file.seekg(start);
  for (std::string line; std::getline(file, line) && !file.eof();) {
    if (line.starts_with("ready")) return line;
  }
  return "";
}

bool wait_gone(const Daemon& daemon, std::chrono::milliseconds patience) {
  if (!is_alive(daemon)) return true;
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, daemon.pid, 0));
  if (handle < 0) return !is_alive(daemon);
  pollfd wait{.fd = handle, .events = POLLIN, .revents = 0};
  ::poll(&wait, 1, static_cast<int>(patience.count()));
  ::close(handle);
  return !is_alive(daemon);
}

}  // namespace

namespace {

struct Launched {
  pid_t pid = 0;
  std::streamoff log_start = 0;
};

Result<Launched> launch(const DaemonCommand& command) {
  const int log = ::open(command.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (log < 0)
    return internal("cannot write ", command.log, ": ", std::string(std::strerror(errno)));
  const std::streamoff start = ::lseek(log, 0, SEEK_END);
  std::vector<std::string> words = command.argv;
  std::vector<std::string> variables = environment_with(command.environment);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  const pid_t pid = ::fork();
  if (pid == 0) become(argv.data(), envp.data(), log);
  ::close(log);
  if (pid < 0) return internal("cannot fork: ", std::string(std::strerror(errno)));
  return Launched{pid, start};
}

}  // namespace

Status run_program(const DaemonCommand& command) {
  const Launched launched = TRY(launch(command));
  int status = 0;
  while (::waitpid(launched.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return {};
  return internal(command.name, " failed; the end of ", command.log, ":", tail_of(command.log, 5));
}

Result<StartedDaemon> start_daemon(const DaemonCommand& command, std::chrono::seconds patience) {
  const auto [pid, start] = TRY(launch(command));
  StartedDaemon started{.daemon = {command.name, pid, start_ticks_of(pid)}, .ready = {}};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (started.ready.empty() && std::chrono::steady_clock::now() < deadline) {
    const bool has_ended = wait_gone(started.daemon, look_at_log_every);
    started.ready = ready_line(command.log, start);
    if (has_ended) break;
  }
  return started;
}

bool is_alive(const Daemon& daemon) {
  if (daemon.pid <= 0) return false;
  ::waitpid(daemon.pid, nullptr, WNOHANG);  // if it was our child, it must not stay as a zombie
  return daemon.start_ticks != 0 && start_ticks_of(daemon.pid) == daemon.start_ticks;
}

Status end_daemon(const Daemon& daemon, std::chrono::seconds patience) {
  if (!is_alive(daemon)) return {};
  ::kill(daemon.pid, SIGTERM);
  if (wait_gone(daemon, patience)) return {};
  ::kill(daemon.pid, SIGKILL);
  if (wait_gone(daemon, std::chrono::seconds(10))) return {};
  return internal(daemon.name, " (pid ", daemon.pid, ") does not end")
      .with_hint("it hangs in the kernel; see its log");
}

std::vector<Daemon> find_processes(const std::vector<std::string>& words) {
  std::vector<Daemon> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == ::getpid()) continue;
    std::string command = read_whole(entry.path() / "cmdline");
    std::replace(command.begin(), command.end(), '\0', ' ');
    const bool has_all =
        !command.empty() && std::all_of(words.begin(), words.end(), [&](const auto& word) {
          return command.find(word) != std::string::npos;
        });
    if (has_all)
      found.push_back(
          {.name = command.substr(0, 80), .pid = pid, .start_ticks = start_ticks_of(pid)});
  }
  return found;
}

Value to_value(const Daemon& daemon) {
  Value value;
  value.set("name", daemon.name).set("pid", daemon.pid).set("start_ticks", daemon.start_ticks);
  Value options;
  for (const auto& [name, chosen] : daemon.options) options.set(name, chosen);
  value.set("options", std::move(options));
  return value;
}

Daemon daemon_from(const Value& value) {
  Daemon daemon;
  if (value["name"].is_string()) daemon.name = value["name"].as_string();
  if (value["pid"].is_int()) daemon.pid = static_cast<int>(value["pid"].as_int());
  if (value["start_ticks"].is_int()) daemon.start_ticks = value["start_ticks"].as_int();
  if (!value["options"].is_object()) return daemon;
  for (const auto& [name, chosen] : value["options"].as_object()) {
    if (chosen.is_string()) daemon.options[name] = chosen.as_string();
  }
  return daemon;
}

std::string tail_of(const std::string& file, std::size_t lines) {
  std::ifstream in(file);
  std::deque<std::string> last;
  for (std::string line; std::getline(in, line);) {
    last.push_back(line);
    if (last.size() > lines) last.pop_front();
  }
  std::string text;
  for (const std::string& line : last) text += cat("\n  ", line);
  return text;
}

}  // namespace dt::cli
