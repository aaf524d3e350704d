#include "tests/unit/shim/shim_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "formats/json.h"
#include "formats/spool.h"
#include "shim/files.h"

namespace dt::shim {
namespace {

constexpr std::chrono::seconds patience{60};

// What a rank of a test needs to speak: say(type, …) sends, hear() returns the next answer.
constexpr const char* speak_script = R"(
import json, os, socket, sys
class Voice:
    def __init__(self, rank=None, token=None, **more):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["DT_SOCKET"])
        self.file = self.socket.makefile("rw")
        rank = int(os.environ["DT_RANK"]) if rank is None else rank
        self.say(type="hello", protocol=1, rank=rank, token=token or os.environ["DT_TOKEN"],
                 pid=os.getpid(), **more)
    def raw(self, text):
        self.file.write(text + "\n"); self.file.flush()
    def say(self, **message):
        self.raw(json.dumps(message))
    def hear(self):
        line = self.file.readline()
        return json.loads(line) if line else None
    def wait(self, kind):
        while True:
            message = self.hear()
            if message is None or message["type"] == kind: return message
def show(*what):
    print(*what, flush=True)
)";

class Deadline {
 public:
  int left_ms() const {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end_ - std::chrono::steady_clock::now());
    return left.count() > 0 ? static_cast<int>(left.count()) : 0;
  }

 private:
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + patience;
};

int pidfd_of(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

bool wait_readable(int fd, int timeout_ms) {
  pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&one, 1, timeout_ms) == 1;
}

Fd connect_to(const std::string& path) {
  const std::filesystem::path split(path);
  const Fd folder(::open(split.parent_path().c_str(), O_PATH | O_CLOEXEC));
  const std::string by_fd = cat("/proc/self/fd/", folder.get(), "/", split.filename().string());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  by_fd.copy(address.sun_path, sizeof address.sun_path - 1);
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fd.reset();
  return fd;
}

}  // namespace

bool is_alive(pid_t pid) { return ::kill(pid, 0) == 0; }

bool wait_for_end(pid_t pid) {
  const Fd process(pidfd_of(pid));
  if (!process.is_open()) return true;
  return wait_readable(process.get(), static_cast<int>(patience.count()) * 1000);
}

Value rank_command(int rank, const std::string& script) {
  Value command;
  command.set("rank", rank).set("local_rank", rank);
  command.set("argv", Value::Array{"/bin/sh", "-c", script});
  command.set("env", Value::Object{{"PATH", "/usr/bin:/bin"}, {"DT_RANK", cat(rank)}});
  return command;
}

ShimRun::ShimRun() {
  std::string path = std::filesystem::temp_directory_path() / "shim-test-XXXXXX";
  EXPECT_NE(::mkdtemp(path.data()), nullptr);
  root_ = folder_ = path;
  spec = Value::Object{{"allocation", "1.7"},
                       {"node_rank", 0},
                       {"ranks", Value::Array{0, 1}},
                       {"bind_port", false},
                       {"address", "127.0.0.1"},
                       {"token", "secret"},
                       {"cwd", folder_},
                       {"checkpoint_dir", folder_ + "/checkpoints"},
                       {"kill_grace_ms", 10'000}};
  std::filesystem::create_directory(folder_ + "/checkpoints");
  std::ofstream(folder_ + "/speak.py") << speak_script;
}

ShimRun::~ShimRun() {
  if (pid_ != 0 && is_alive(pid_)) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove_all(root_);
}

std::string ShimRun::python(const std::string& name, const std::string& code) const {
  std::ofstream(cat(root_, "/", name, ".py")) << "from speak import *\n" << code;
  return cat("exec python3 -B ", root_, "/", name, ".py");
}

void ShimRun::put_deep() {
  folder_ = root_ + "/" + std::string(80, 'd') + "/" + std::string(80, 'e');
  std::filesystem::create_directories(folder_);
}

void ShimRun::begin() {
  std::ofstream(path("spec.json")) << to_json(spec);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::execl(DT_SHIM_PROGRAM, DT_SHIM_PROGRAM, folder_.c_str(), nullptr);
    ::_exit(127);
  }
  connect();
}

void ShimRun::connect() {
  received_.clear();
  const Fd process(pidfd_of(pid_));
  const Deadline deadline;
  do {
    control_ = connect_to(path("control.sock"));
    if (control_.is_open()) return;
  } while (!wait_readable(process.get(), 10) && deadline.left_ms() > 0);
  ADD_FAILURE() << "the shim does not answer";
}

void ShimRun::ready() {
  begin();
  wait_for_phase("ready");
}

void ShimRun::order(const Value& order) {
  const std::string line = to_json(order) + "\n";
  EXPECT_EQ(::send(control_.get(), line.data(), line.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(line.size()));
}

void ShimRun::start(const std::vector<std::string>& scripts) {
  Value::Array ranks;
  for (const std::string& script : scripts) {
    ranks.push_back(rank_command(static_cast<int>(ranks.size()), script));
  }
  order(Value::Object{{"op", "start"}, {"ranks", std::move(ranks)}});
}

Value ShimRun::wait_for(const std::function<bool(const Value& message)>& fits) {
  const Deadline deadline;
  while (deadline.left_ms() > 0) {
    for (std::size_t end; (end = received_.find('\n')) != received_.npos;) {
      const Value message = parse_json(received_.substr(0, end)).value();
      received_.erase(0, end + 1);
      if (fits(message)) return message;
    }
    if (!wait_readable(control_.get(), deadline.left_ms())) break;
    char buffer[65536];
    const auto got = ::recv(control_.get(), buffer, sizeof buffer, 0);
    if (got <= 0) break;
    received_.append(buffer, static_cast<std::size_t>(got));
  }
  ADD_FAILURE() << "the awaited status did not come; state: " << to_json(state());
  return {};
}

Value ShimRun::wait_for_phase(const std::string& phase) {
  return wait_for([&](const Value& message) { return message["status"]["phase"] == Value(phase); });
}

core::AllocationStatus ShimRun::wait_until_ended() {
  core::AllocationStatus status;
  core::status_from(wait_for_phase("ended")["status"], status);
  EXPECT_EQ(wait_exit(), 0);
  return status;
}

std::string ShimRun::wait_for_line(int stream, const std::string& begin) {
  const Deadline deadline;
  while (deadline.left_ms() > 0) {
    for (const std::string& line : lines(stream)) {
      if (line.starts_with(begin)) return line.substr(begin.size());
    }
    wait_readable(control_.get(), 10);
    char buffer[65536];
    const auto got = ::recv(control_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) received_.append(buffer, static_cast<std::size_t>(got));
  }
  ADD_FAILURE() << "rank " << stream << " did not print '" << begin << "'";
  return {};
}

int ShimRun::wait_exit() {
  int status = 0;
  EXPECT_TRUE(wait_for_end(pid_));
  ::waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<core::Record> ShimRun::records() const {
  std::vector<core::Record> records;
  const auto bytes = read_file(path("spool"));
  if (!bytes.ok()) return records;
  const SpoolScan scan = scan_spool(*bytes);
  EXPECT_FALSE(scan.damaged);
  for (const auto& line : scan.lines) {
    EXPECT_TRUE(core::record_from(line.record, records.emplace_back()));
  }
  return records;
}

std::vector<core::Record> ShimRun::records(int stream, core::RecordKind kind) const {
  std::vector<core::Record> chosen = records();
  std::erase_if(chosen,
                [&](const core::Record& one) { return one.stream != stream || one.kind != kind; });
  return chosen;
}

std::vector<std::string> ShimRun::lines(int stream) const {
  std::vector<std::string> lines;
  for (const core::Record& one : records(stream, core::RecordKind::log)) {
    lines.push_back(one.body["text"].as_string());
  }
  return lines;
}

Value ShimRun::state() const {
  const auto text = read_file(path("state.json"));
  return text.ok() ? parse_json(*text).value_or({}) : Value();
}

std::int64_t ShimRun::ended_boot_ms(int rank) const {
  const Value ended = state();
  for (const Value& exit : ended["exits"].as_array()) {
    if (exit["rank"] == Value(rank)) return exit["ended_boot_ms"].as_int();
  }
  ADD_FAILURE() << "rank " << rank << " has no exit";
  return 0;
}

}  // namespace dt::shim
