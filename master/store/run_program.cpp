#include "master/store/run_program.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace dt::master {

namespace {

constexpr std::size_t output_bytes_max = 16 * 1024;

OsUser user_from(const passwd& entry) {
  OsUser user{.name = entry.pw_name, .id = entry.pw_uid, .group = entry.pw_gid};
  std::array<gid_t, 256> groups{};
  int count = groups.size();
  if (getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &count) < 0) count = 0;
  user.groups.assign(groups.begin(), groups.begin() + count);
  return user;
}

// What the child needs, made before the fork: after it only system calls are safe.
struct Launch {
  explicit Launch(const std::vector<std::string>& command) : words(command) {
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
  }

  std::vector<std::string> words;
  std::vector<std::string> variables{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC",
                                     "HOME=/"};
  std::vector<char*> arguments;
  std::vector<char*> environment;
};

bool become(const OsUser& user) {
  if (user.id == geteuid()) return true;
  return setgroups(user.groups.size(), user.groups.data()) == 0 && setgid(user.group) == 0 &&
         setuid(user.id) == 0;
}

[[noreturn]] void run_child(const Launch& launch, const OsUser& user, int output) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int input = open("/dev/null", O_RDONLY);
  dup2(input, 0);
  dup2(output, 1);
  dup2(output, 2);
  close_range(3, ~0U, 0);
  umask(077);
  if (!become(user) || chdir("/") != 0) _exit(126);
  execve(launch.arguments[0], launch.arguments.data(), launch.environment.data());
  _exit(127);
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > 2 * output_bytes_max) text.erase(0, text.size() - output_bytes_max);
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool may_enter(const struct stat& folder, const OsUser& user) {
  if (user.id == 0) return true;
  if (folder.st_uid == user.id) return (folder.st_mode & S_IXUSR) != 0;
  const bool in_group = folder.st_gid == user.group ||
                        std::count(user.groups.begin(), user.groups.end(), folder.st_gid) > 0;
  return (folder.st_mode & (in_group ? S_IXGRP : S_IXOTH)) != 0;
}

}  // namespace

Result<OsUser> os_user(const std::string& name) {
  const passwd* entry = getpwnam(name.c_str());
  if (entry == nullptr) return not_found("this machine has no user ", name);
  return user_from(*entry);
}

Result<OsUser> os_user(unsigned id) {
  const passwd* entry = getpwuid(id);
  if (entry == nullptr) return not_found("this machine has no user with the id ", id);
  return user_from(*entry);
}

OsUser present_user() {
  OsUser user{.name = cat("#", geteuid()), .id = geteuid(), .group = getegid()};
  if (const Result<OsUser> known = os_user(geteuid()); known.ok()) user.name = known->name;
  return user;
}

Status check_reachable(const std::string& folder, const OsUser& user) {
  std::filesystem::path way;
  for (const std::filesystem::path& part : std::filesystem::path(folder)) {
    way /= part;
    struct stat found {};
    if (stat(way.c_str(), &found) != 0) return {};  // made later, by us
    if (may_enter(found, user)) continue;
    return failed_precondition("user ", user.name, " may not enter ", way.string())
        .with_hint(cat("name another data folder, or: chmod o+x ", way.string()));
  }
  return {};
}

Result<ProgramEnd> run_program(const std::vector<std::string>& command, const OsUser& user) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return internal("pipe: ", std::strerror(errno));
  const Launch launch(command);
  const pid_t child = fork();
  if (child == 0) run_child(launch, user, ends[1]);
  const int fork_error = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return resource_exhausted("starting ", command[0], ": ", std::strerror(fork_error));
  }
  ProgramEnd end;
  end.output = read_all(ends[0]);
  close(ends[0]);
  end.code = wait_for(child);
  return end;
}

}  // namespace dt::master
