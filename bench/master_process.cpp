#include "bench/master_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "master/store/private_postgres.h"

namespace dt::bench {
namespace {

std::string programs_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

std::string first_line_of(int fd) {
  std::string line;
  for (char c = 0; ::read(fd, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

}  // namespace

MasterProcess::MasterProcess() {
  std::string pattern = (std::filesystem::temp_directory_path() / "dt-bench-XXXXXX").string();
  folder_ = mkdtemp(pattern.data());
  std::filesystem::permissions(folder_, std::filesystem::perms(0755));
  const std::string program = programs_folder() + "/dt-master";
  std::array<int, 2> out{};
  VERIFY(::pipe2(out.data(), O_CLOEXEC) == 0, "no pipe");
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::execl(program.c_str(), program.c_str(), "--dir", folder_.c_str(), "--grpc", "127.0.0.1:0",
            "--http", "127.0.0.1:0", "--lease", "60", nullptr);
    ::_exit(127);
  }
  ::close(out[1]);
  const std::string ready = first_line_of(out[0]);
  ::close(out[0]);
  const std::string mark = "ready grpc=";
  VERIFY(ready.starts_with(mark), program, " did not start");
  address_ = ready.substr(mark.size(), ready.find(' ', mark.size()) - mark.size());
}

MasterProcess::~MasterProcess() {
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
  (void)master::PrivatePostgres::stop_in(folder_);  // the folder goes; nothing is left to keep
  std::filesystem::remove_all(folder_);
}

double MasterProcess::cpu_s() const {
  std::ifstream file(cat("/proc/", pid_, "/stat"));
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

client::Client MasterProcess::client_with(const char* token_file) const {
  std::ifstream file(folder_ + "/" + token_file);
  std::string token;
  file >> token;
  return client::Client(
      {.address = address_, .http_address = {}, .user = {}, .token = token, .tls_ca = {}});
}

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  VERIFY(pipe != nullptr, "no pipe for ", command);
  std::string text;
  std::array<char, 4096> piece{};
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), pipe)) {
    text.append(piece.data(), got);
  }
  const int end = ::pclose(pipe);
  VERIFY(end == 0, command, " ended with ", end, ":\n", text);
  return text;
}

}  // namespace dt::bench
