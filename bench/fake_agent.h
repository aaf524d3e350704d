// Agents that speak the real protocol and run nothing: what is wanted is ready at once, runs at
// once and has ended with 0 at once, its exit record included. All of them share gRPC's threads, so
// that thousands fit in one process.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "client/client.h"

namespace dt::bench {

using Clock = std::chrono::steady_clock;

struct FakeAgentOptions {
  std::string name;
  int slots = 1;
  std::chrono::milliseconds heartbeat{10'000};
  // An experiment's trial was told to start. Any thread.
  std::function<void(std::int64_t experiment, Clock::time_point when)> on_start;
};

class FakeAgent {
 public:
  FakeAgent(const client::Client& client, FakeAgentOptions options);
  ~FakeAgent();  // the stream is cut
  FakeAgent(const FakeAgent&) = delete;
  FakeAgent& operator=(const FakeAgent&) = delete;

  bool has_joined() const;
  void beat_if_due(Clock::time_point now);  // whoever owns many calls it for each

 private:
  class Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace dt::bench
