#include "shim/process.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "shim/files.h"

namespace dt::shim {
namespace {

enum class Stage : int { parent_gone, groups, user, folder, death_signal, execute };

struct Failure {  // from the child, through a pipe that a successful exec closes
  Stage stage = Stage::execute;
  int error = 0;
};

struct Pipe {
  Fd read;
  Fd write;
};

// Everything the child needs, made before the fork: between fork and exec nothing may allocate,
// since another thread may have held malloc's lock.
struct Plan {
  std::vector<std::string> programs;  // where argv[0] may lie, in order
  std::vector<char*> argv;
  std::vector<std::string> env_text;
  std::vector<char*> env;
  const Command* command = nullptr;
  pid_t parent = 0;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return file_error("cannot create a pipe", errno);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

std::vector<std::string> candidates(const Command& command) {
  const std::string& name = command.argv[0];
  if (name.find('/') != name.npos) return {name};
  const auto found = command.env.find("PATH");
  const std::string path =
      found == command.env.end() ? "/usr/local/bin:/usr/bin:/bin" : found->second;
  std::vector<std::string> programs;
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    programs.push_back(cat(folder.empty() ? "." : folder, "/", name));
    begin = end + 1;
  }
  return programs;
}

Plan plan_of(const Command& command) {
  Plan plan;
  plan.programs = candidates(command);
  for (const std::string& one : command.argv) plan.argv.push_back(const_cast<char*>(one.c_str()));
  plan.argv.push_back(nullptr);
  for (const auto& [name, value] : command.env) plan.env_text.push_back(cat(name, "=", value));
  for (const std::string& one : plan.env_text) plan.env.push_back(const_cast<char*>(one.c_str()));
  plan.env.push_back(nullptr);
  plan.command = &command;
  plan.parent = ::getpid();
  return plan;
}

// From here to run_child(): async-signal-safe calls only.

[[noreturn]] void fail(int report, Stage stage, int error) {
  const Failure failure{stage, error};
  [[maybe_unused]] const auto written = ::write(report, &failure, sizeof failure);
  ::_exit(127);
}

void default_signals() {
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void become(const User& user, int report) {
  // By system call: glibc's wrappers would signal the threads that this process does not have.
  if (::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) != 0 ||
      ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) != 0) {
    fail(report, Stage::groups, errno);
  }
  if (::syscall(SYS_setresuid, user.uid, user.uid, user.uid) != 0) {
    fail(report, Stage::user, errno);
  }
}

[[noreturn]] void execute(const Plan& plan, int report) {
  int error = ENOENT;
  for (const std::string& program : plan.programs) {
    ::execve(program.c_str(), plan.argv.data(), plan.env.data());
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
  }
  fail(report, Stage::execute, error);
}

[[noreturn]] void run_child(const Plan& plan, int null, int out, int err, int report) {
  ::setpgid(0, 0);
  default_signals();
  ::dup2(null, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  // Whatever our own parent forgot to mark closes at exec too.
  ::syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  if (plan.command->user) become(*plan.command->user, report);
  if (!plan.command->cwd.empty() && ::chdir(plan.command->cwd.c_str()) != 0) {
    fail(report, Stage::folder, errno);
  }
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(report, Stage::death_signal, errno);
  if (::getppid() != plan.parent) fail(report, Stage::parent_gone, ESRCH);
  execute(plan, report);
}

std::string describe(const Command& command, Stage stage) {
  switch (stage) {
    case Stage::parent_gone: return "the shim is gone";
    case Stage::groups: return cat("cannot take the groups of user ", command.user->uid);
    case Stage::user: return cat("cannot become user ", command.user->uid);
    case Stage::folder: return cat("cannot enter folder '", command.cwd, "'");
    case Stage::death_signal: return "cannot be tied to the shim's life";
    case Stage::execute: break;
  }
  return cat("cannot run '", command.argv[0], "'");
}

Status wait_for_exec(int report, const Command& command) {
  Failure failure;
  ssize_t got = 0;
  do {
    got = ::read(report, &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof failure) return {};
  return file_error(describe(command, failure.stage), failure.error);
}

void set_nonblocking(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

User user_with_groups(uid_t uid, gid_t gid) {
  User user{uid, gid, {gid}};
  const passwd* entry = ::getpwuid(uid);
  if (entry == nullptr) return user;
  int count = 64;
  user.groups.resize(64);
  if (::getgrouplist(entry->pw_name, gid, user.groups.data(), &count) < 0) {
    user.groups.resize(static_cast<std::size_t>(count));
    ::getgrouplist(entry->pw_name, gid, user.groups.data(), &count);
  }
  user.groups.resize(static_cast<std::size_t>(count));
  return user;
}

Result<Process> spawn(const Command& command) {
  if (command.argv.empty()) return invalid_argument("the command is empty");
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.is_open()) return file_error("cannot open /dev/null", errno);
  Pipe out = TRY(make_pipe());
  Pipe err = TRY(make_pipe());
  Pipe report = TRY(make_pipe());
  const Plan plan = plan_of(command);
  const pid_t pid = ::fork();
  if (pid < 0) return file_error(cat("cannot start '", command.argv[0], "'"), errno);
  if (pid == 0) {
    run_child(plan, null.get(), out.write.get(), err.write.get(), report.write.get());
  }
  ::setpgid(pid, pid);  // whoever of the two comes first
  report.write.reset();
  if (Status failed = wait_for_exec(report.read.get(), command); !failed.ok()) {
    ::waitpid(pid, nullptr, 0);
    return failed;
  }
  set_nonblocking(out.read.get());
  set_nonblocking(err.read.get());
  return Process{pid, std::move(out.read), std::move(err.read)};
}

}  // namespace dt::shim
