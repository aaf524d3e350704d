// Starts the test program as ranks of one group, as the shim would: environment, a bound port, one
// pipe a stream.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace dt::trial {

struct RankResult {
  int code = 0;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

struct RankStart {
  int size = 1;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> variables;  // added for every rank
};

// A temporary folder that goes with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  const std::string& path() const { return path_; }
  std::vector<std::string> entries() const;  // names, sorted

 private:
  std::string path_;
};

class Ranks {
 public:
  explicit Ranks(const RankStart& start);
  ~Ranks();  // ends what is left
  Ranks(const Ranks&) = delete;

  void kill(int rank);
  pid_t pid(int rank) const { return pids_[static_cast<std::size_t>(rank)]; }
  // Waits for all, at most a minute; what is left then is killed and counts as 137.
  std::vector<RankResult> wait();

 private:
  void spawn(const RankStart& start, int rank);

  int port_fd_ = -1;
  int port_ = 0;
  TempFolder folder_;  // of outputs
  std::vector<pid_t> pids_;
};

std::vector<RankResult> run_ranks(const RankStart& start);
// The lines that begin so.
std::vector<std::string> lines_of(const std::string& text, const std::string& beginning);
// The number after "name=" in the line.
double number_in(const std::string& line, const std::string& name);

}  // namespace dt::trial
