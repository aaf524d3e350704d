#include "ranks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/cat.h"
#include "base/verify.h"

namespace dt::trial {
namespace {

namespace fs = std::filesystem;

// Bound, not listening, and held: as the agent does it.
int bind_port(int& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  VERIFY(::bind(fd, reinterpret_cast<sockaddr*>(&address), bytes) == 0);
  VERIFY(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &bytes) == 0);
  port = ntohs(address.sin_port);
  return fd;
}

std::string read_all(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void redirect(const std::string& path, int to) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(fd, to);
}

}  // namespace

TempFolder::TempFolder() {
  std::string pattern = (fs::temp_directory_path() / "dovetail_trial_XXXXXX").string();
  VERIFY(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> TempFolder::entries() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

Ranks::Ranks(const RankStart& start) {
  port_fd_ = bind_port(port_);
  for (int rank = 0; rank < start.size; ++rank) spawn(start, rank);
}

Ranks::~Ranks() {
  for (int rank = 0; rank < static_cast<int>(pids_.size()); ++rank) kill(rank);
  wait();
  ::close(port_fd_);
}

void Ranks::spawn(const RankStart& start, int rank) {
  auto variables = start.variables;
  variables["DT_RANK"] = cat(rank);
  variables["DT_SIZE"] = cat(start.size);
  variables["MASTER_ADDR"] = "127.0.0.1";
  variables["MASTER_PORT"] = cat(port_);
  variables["OMP_NUM_THREADS"] = "1";
  const pid_t pid = ::fork();
  VERIFY(pid >= 0);
  if (pid > 0) {
    pids_.push_back(pid);
    return;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  redirect(cat(folder_.path(), "/out.", rank), STDOUT_FILENO);
  redirect(cat(folder_.path(), "/err.", rank), STDERR_FILENO);
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<std::string> words = {TRIAL_PROGRAM};
  words.insert(words.end(), start.arguments.begin(), start.arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(TRIAL_PROGRAM, argv.data());
  ::_exit(127);
}

void Ranks::kill(int rank) {
  if (pid(rank) > 0) ::kill(pid(rank), SIGKILL);
}

std::vector<RankResult> Ranks::wait() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::vector<RankResult> results;
  for (std::size_t rank = 0; rank < pids_.size(); ++rank) {
    int status = 0;
    while (pids_[rank] > 0 && ::waitpid(pids_[rank], &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > deadline) kill(static_cast<int>(rank));
      ::usleep(5'000);
    }
    pids_[rank] = 0;
    results.push_back({WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                       read_all(cat(folder_.path(), "/out.", rank)),
                       read_all(cat(folder_.path(), "/err.", rank))});
  }
  return results;
}

std::vector<RankResult> run_ranks(const RankStart& start) { return Ranks(start).wait(); }

std::vector<std::string> lines_of(const std::string& text, const std::string& beginning) {
  std::vector<std::string> out;
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind(beginning, 0) == 0) out.push_back(line);
  }
  return out;
}

double number_in(const std::string& line, const std::string& name) {
  const auto at = line.find(" " + name + "=");
  VERIFY(at != std::string::npos, "no ", name, " in: ", line);
  return std::stod(line.substr(at + name.size() + 2));
}

}  // namespace dt::trial
