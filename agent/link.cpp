#include "agent/link.h"

#include <algorithm>
#include <chrono>

#include "dovetail/v1/agent.grpc.pb.h"

namespace dt::agent {

namespace {

constexpr Duration connect_slice{500};  // between looks at the stop token
constexpr Duration first_pause{200};
constexpr Duration longest_pause{5'000};
constexpr std::chrono::seconds leave_patience{2};

bool wait_until_connected(grpc::Channel& channel, const std::stop_token& stop, Duration patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < deadline) {
    if (channel.WaitForConnected(std::chrono::system_clock::now() + connect_slice)) return true;
  }
  return false;
}

}  // namespace

Link::Link(const client::Client& client, Callbacks callbacks)
    : client_(client),
      callbacks_(std::move(callbacks)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Link::~Link() {
  thread_.request_stop();
  changed_.notify_all();
  thread_.join();
}

void Link::send(v1::HeartbeatMessage heartbeat) {
  const std::lock_guard lock(mutex_);
  if (!is_open_) return;  // a new link begins with a hello, which says the same
  unsent_ = std::move(heartbeat);
  changed_.notify_all();
}

void Link::leave() {
  std::unique_lock lock(mutex_);
  if (!is_open_) return;
  leaving_ = true;
  changed_.notify_all();
  changed_.wait_for(lock, leave_patience, [this] { return left_; });
}

void Link::run(const std::stop_token& stop) {
  Duration pause_time = first_pause;
  while (!stop.stop_requested()) {
    if (!wait_until_connected(*client_.channel(), stop, longest_pause)) {
      const Status away =
          unavailable("the master at ", client_.credentials().address, " cannot be reached");
      if (!stop.stop_requested()) callbacks_.failed(away);
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const Status ended = talk(stop);
    callbacks_.disconnected();
    if (stop.stop_requested()) return;
    if (!ended.ok()) callbacks_.failed(ended);
    const bool was_long = std::chrono::steady_clock::now() - begin > longest_pause;
    pause_time = was_long ? first_pause : std::min(2 * pause_time, longest_pause);
    pause(stop, pause_time);
  }
}

void Link::pause(const std::stop_token& stop, Duration time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, time, [] { return false; });
}

Status Link::talk(const std::stop_token& stop) {
  grpc::ClientContext context;
  client_.prepare(context);
  const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
  const auto stub = client_.stub<v1::AgentLink>();
  const auto stream = stub->Link(&context);
  v1::AgentMessage message;
  Status refused;
  {
    const std::lock_guard lock(mutex_);
    unsent_.reset();
    is_open_ = true;
  }
  callbacks_.connected();
  *message.mutable_hello() = callbacks_.hello();
  if (stream->Write(message)) {
    std::jthread writer([&](const std::stop_token& ended) { write_heartbeats(*stream, ended); });
    for (v1::MasterMessage heard; stream->Read(&heard);) {
      callbacks_.heard(heard);
      if (!heard.has_refused()) continue;
      refused = failed_precondition("the master refuses this agent: ", heard.refused().reason());
      context.TryCancel();
    }
  }
  const std::lock_guard lock(mutex_);
  is_open_ = false;
  left_ = leaving_;
  changed_.notify_all();
  const Status ended = client_.explain(stream->Finish());
  return refused.ok() ? ended : refused;
}

void Link::write_heartbeats(Stream& stream, const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return unsent_ || leaving_; })) return;
    if (!unsent_) break;
    v1::AgentMessage message;
    *message.mutable_heartbeat() = std::move(*unsent_);
    unsent_.reset();
    lock.unlock();
    if (!stream.Write(message)) return;
  }
  stream.WritesDone();
}

}  // namespace dt::agent
