// A real dt-shim in a temporary folder, and this test as its agent. Every wait has a limit and
// fails the test; nothing sleeps.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/value.h"
#include "core/agent/messages.h"
#include "core/agent/record.h"

namespace dt::shim {

class ShimRun {
 public:
  ShimRun();
  ~ShimRun();  // kills what is left
  ShimRun(const ShimRun&) = delete;

  // Before begin(): the spec, ready to be changed; the folder, which `deep` puts far down.
  Value spec;
  void put_deep();
  const std::string& folder() const { return folder_; }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  void begin();    // dt-shim runs and answers
  void connect();  // as an agent that was restarted
  void ready();    // begin() and wait until ranks may start

  void order(const Value& order);
  // A command that runs this Python, to which speak.py gives a voice: Voice(), say, hear, show.
  std::string python(const std::string& name, const std::string& code) const;
  // One command a rank, by /bin/sh.
  void start(const std::vector<std::string>& scripts);

  // Reads status messages until one fits; fails and returns null after a while.
  Value wait_for(const std::function<bool(const Value& message)>& fits);
  Value wait_for_phase(const std::string& phase);
  core::AllocationStatus wait_until_ended();  // and the process is gone
  // Reads the spool until this rank printed a line that begins so; returns what follows.
  std::string wait_for_line(int stream, const std::string& begin);

  pid_t pid() const { return pid_; }
  int wait_exit();

  std::vector<core::Record> records() const;
  std::vector<core::Record> records(int stream, core::RecordKind kind) const;
  std::vector<std::string> lines(int stream) const;  // what it printed
  Value state() const;                               // state.json
  std::int64_t ended_boot_ms(int rank) const;

 private:
  std::string root_;
  std::string folder_;
  pid_t pid_ = 0;
  Fd control_;
  std::string received_;
};

bool is_alive(pid_t pid);
// Waits for the end of a process that is not ours; false if it lives on.
bool wait_for_end(pid_t pid);
Value rank_command(int rank, const std::string& script);

}  // namespace dt::shim
