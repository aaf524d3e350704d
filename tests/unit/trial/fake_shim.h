// A shim's rank socket for tests: welcomes ranks, keeps every message in order of arrival, and
// answers as told. One thread; the script runs in it.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/value.h"

namespace dt::trial {

class FakeShim {
 public:
  struct Said {
    int rank = 0;
    Value message;
  };
  // What to answer to a message, beside its ack: lines without newline. "close" drops the
  // connection before the ack, "no ack" keeps silent, "no ack after" leaves out the ack alone.
  using Script = std::function<std::vector<std::string>(int rank, const Value& message)>;

  FakeShim(const std::string& path, Script script = nullptr, std::string token = "token");
  ~FakeShim();

  std::vector<Said> said() const;  // messages with a seq, each (rank, seq) once
  std::vector<Said> of(int rank, const std::string& type) const;
  int connections() const;
  int repeats() const;  // messages that came again after a reconnect
  std::map<std::string, std::string> variables() const;

 private:
  struct Connection {
    int fd = -1;
    int rank = -1;
    std::string input;
  };
  void run();
  void accept_one();
  bool read_some(Connection& connection);
  bool handle(Connection& connection, const Value& message);
  bool welcome(Connection& connection, const Value& hello);

  const std::string path_;
  const Script script_;
  const std::string token_;
  int listen_fd_ = -1;
  int end_fd_ = -1;
  std::vector<Connection> connections_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<Said> said_;
  std::map<int, std::int64_t> last_seq_;
  int accepted_ = 0;
  int repeats_ = 0;
  std::thread thread_;
};

}  // namespace dt::trial
