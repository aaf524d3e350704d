#include "agent/launch.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "agent/files.h"

namespace dt::agent {

namespace {

struct Report {  // through the pipe: first the pid, then perhaps why exec failed
  pid_t pid = 0;
  int error = 0;
};

// Between fork and exec only async-signal-safe calls are made.
[[noreturn]] void become_shim(char* const* argv, int log, int pipe) {
  const pid_t pid = ::getpid();
  Report report{.pid = pid};
  (void)!::write(pipe, &report, sizeof report);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, 0);
  ::dup2(log, 1);
  ::dup2(log, 2);
  ::syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  ::execv(argv[0], argv);
  report.error = errno;
  (void)!::write(pipe, &report, sizeof report);
  ::_exit(127);
}

[[noreturn]] void fork_again(char* const* argv, int log, int pipe) {
  ::setsid();
  const pid_t pid = ::fork();
  if (pid == 0) become_shim(argv, log, pipe);
  ::_exit(pid < 0 ? 1 : 0);
}

Result<Report> read_report(int pipe) {
  Report report;
  Report later;
  if (::read(pipe, &report, sizeof report) != sizeof report) {
    return resource_exhausted("cannot fork: the system has no process left");
  }
  // End of file: exec closed the pipe.
  if (::read(pipe, &later, sizeof later) == sizeof later) report.error = later.error;
  return report;
}

}  // namespace

Result<Fd> launch_shim(const std::string& program, const std::string& folder) {
  std::string program_text = program;
  std::string folder_text = folder;
  const std::array<char*, 3> argv{program_text.data(), folder_text.data(), nullptr};
  const std::string log_path = folder + "/shim.log";
  const Fd log(::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open()) return file_error("cannot open " + log_path, errno);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return file_error("cannot make a pipe", errno);
  const Fd reader(ends[0]);
  Fd writer(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return file_error("cannot fork", errno);
  if (child == 0) fork_again(argv.data(), log.get(), writer.get());
  writer = Fd();
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  const Report report = TRY(read_report(reader.get()));
  if (report.error != 0) return file_error("cannot run " + program, report.error);
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, report.pid, 0)));
}

std::string own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace dt::agent
