// The stream to the master: opened by the agent, kept open, opened again when it breaks. One thread
// reads and reconnects, one writes, so that a master that does not read holds nobody up. The
// callbacks run on the reading thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "agent/convert.h"
#include "base/status.h"
#include "client/client.h"

namespace dt::agent {

class Link {
 public:
  struct Callbacks {
    std::function<v1::HelloMessage()> hello;
    std::function<void()> connected;
    std::function<void()> disconnected;
    std::function<void(const v1::MasterMessage&)> heard;
    // Why there is no link; told again while it lasts. The link goes on trying.
    std::function<void(const Status&)> failed;
  };

  Link(const client::Client& client, Callbacks callbacks);
  ~Link();

  // Level-triggered: a heartbeat that was not sent yet is replaced.
  void send(v1::HeartbeatMessage heartbeat);
  // Ends the stream after what was sent, and waits until the master has it, but not long.
  void leave();

 private:
  using Stream = grpc::ClientReaderWriter<v1::AgentMessage, v1::MasterMessage>;

  void run(const std::stop_token& stop);
  Status talk(const std::stop_token& stop);
  void write_heartbeats(Stream& stream, const std::stop_token& stop);
  void pause(const std::stop_token& stop, Duration time);

  const client::Client& client_;
  const Callbacks callbacks_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<v1::HeartbeatMessage> unsent_;  // guarded by mutex_, as are the next three
  bool is_open_ = false;
  bool leaving_ = false;
  bool left_ = false;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace dt::agent
