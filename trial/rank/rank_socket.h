// The rank's end of DESIGN §6: newline-delimited JSON to the shim. A thread of its own connects,
// sends, and after a lost connection sends again what was not acknowledged; the training loop only
// appends. Promises: messages arrive in order of send(); one is forgotten only once acknowledged;
// send() waits only while 64 MiB are unacknowledged. All methods may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/value.h"

namespace dt::trial {

struct RankSocketOptions {
  std::string path;
  std::string token;
  int rank = 0;
  std::optional<std::int64_t> start_step;  // the step of the checkpoint this attempt resumes from
  Value software;  // what the rank runs on: {name: version}; null: not told
  std::chrono::milliseconds welcome_timeout{30'000};
};

class RankSocket {
 public:
  // Connects and waits for the shim's welcome.
  static Result<std::unique_ptr<RankSocket>> open(const RankSocketOptions& options);
  ~RankSocket();  // does not wait for acknowledgements; drain() does
  RankSocket(const RankSocket&) = delete;
  RankSocket& operator=(const RankSocket&) = delete;

  // Adds `seq` and queues the message, which has its `type`. Fails only for a message over 1 MiB.
  Status send(Value message);

  bool preempt_asked() const;
  bool stop_asked() const;

  // Waits until everything is acknowledged, at most this long; returns how many are not.
  std::int64_t drain(std::chrono::milliseconds limit);

 private:
  class Worker;
  explicit RankSocket(std::unique_ptr<Worker> worker);
  std::unique_ptr<Worker> worker_;
};

}  // namespace dt::trial
