#include "gui/data/live.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "dovetail/v1/watch.grpc.pb.h"

namespace dt::gui {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds tell_every{100};
constexpr milliseconds heartbeat_overdue{25'000};  // the master sends one every 10 s
constexpr milliseconds first_pause{250};
constexpr milliseconds longest_pause{5'000};

milliseconds pause_after(int failures) {
  return std::min(longest_pause, first_pause * (1 << std::min(failures, 6)));
}

}  // namespace

Live::Live(Master& master, QObject* parent) : QObject(parent), master_(master) {
  tell_later_.setSingleShot(true);
  connect_later_.setSingleShot(true);
  silence_.setSingleShot(true);
  connect(&tell_later_, &QTimer::timeout, this, &Live::tell);
  connect(&connect_later_, &QTimer::timeout, this, &Live::connect_now);
  connect(&silence_, &QTimer::timeout, this,
          [this] { lose(unavailable("the master has been silent for 25 s")); });
  connect_later_.start(0);
}

void Live::connect_now() {
  watch_ = master_.stream<v1::Watch>(
      &v1::Watch::Stub::Watch, v1::WatchRequest(),
      [this](const v1::WatchEvent& event) { take(event); },
      [this](const Status& status) {
        lose(status.ok() ? unavailable("the master ended the stream of changes") : status);
      });
}

void Live::take(const v1::WatchEvent& event) {
  silence_.start(heartbeat_overdue);
  const bool is_back = state_ != State::online;  // a Watch starts from now: earlier news are missed
  failures_ = 0;
  set_state(State::online, {});
  if (event.reset() || is_back) {
    waiting_.clear();
    Q_EMIT reset();
  }
  if (!event.has_change()) return;
  waiting_.push_back(event.change());
  if (!tell_later_.isActive()) tell_later_.start(tell_every);
}

void Live::tell() {
  const Changes changes = std::exchange(waiting_, {});
  if (!changes.empty()) Q_EMIT changed(changes);
}

void Live::lose(const Status& status) {
  watch_.cancel();
  silence_.stop();
  set_state(State::offline, status);
  connect_later_.start(pause_after(failures_++));
}

void Live::set_state(State state, Status problem) {
  if (state_ == state && problem_ == problem) return;
  state_ = state;
  problem_ = std::move(problem);
  Q_EMIT state_changed();
}

}  // namespace dt::gui
