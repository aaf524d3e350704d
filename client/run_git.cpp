#include "client/run_git.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace dt::client {
namespace {

using Clock = std::chrono::steady_clock;

// A child with its output on a pipe; killed and waited for, whatever happens.
class Child {
 public:
  explicit Child(std::vector<std::string>& words) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    output_ = ends[0];
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ) != 0) pid_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  ~Child() {
    if (output_ >= 0) ::close(output_);
    if (pid_ > 0) end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool is_there() const { return pid_ > 0; }
  int output() const { return output_; }

  // Its exit code; -1 if a signal ended it.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  void end() {
    ::kill(pid_, SIGKILL);
    (void)wait();
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

enum class Read { all, cut, late };

Read read_all(int fd, std::string& out, std::size_t bytes_max, Clock::time_point until) {
  std::array<char, 65536> piece{};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Read::late;
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Read::all;
    out.append(piece.data(), static_cast<std::size_t>(got));
    if (out.size() <= bytes_max) continue;
    out.resize(bytes_max);
    return Read::cut;
  }
}

}  // namespace

std::optional<GitAnswer> run_git(const std::string& folder, std::vector<std::string> arguments,
                                 std::size_t bytes_max, std::chrono::milliseconds limit) {
  // A repository's own programs (file system monitor, pager) are not ours to start.
  std::vector<std::string> words = {"git", "-C",         folder, "--no-optional-locks",
                                    "-c",  "core.fsmonitor=false", "--no-pager"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Child git(words);
  if (!git.is_there()) return std::nullopt;
  GitAnswer answer;
  const Read read = read_all(git.output(), answer.output, bytes_max, Clock::now() + limit);
  if (read == Read::late) return std::nullopt;
  answer.cut = read == Read::cut;
  if (answer.cut) return git.end(), answer;
  if (git.wait() != 0) return std::nullopt;
  return answer;
}

}  // namespace dt::client
