// Virtual time: calls in the order of (time, order of asking). Nothing in the simulator waits or
// reads a clock; a run of one seed is the same on every machine. Made for millions of calls a
// second: a call lives in a slot of one pool, the heap holds its time and number only. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/verify.h"

namespace dt::sim {

// A function to be called once: std::function without copies, and with room for most of ours.
class Call {
 public:
  Call() = default;
  template <class Body>
  requires(!std::is_same_v<std::decay_t<Body>, Call>)
      Call(Body&& body) {  // NOLINT: implicit by design
    using Own = std::decay_t<Body>;
    if constexpr (sizeof(Own) <= room && std::is_nothrow_move_constructible_v<Own>) {
      new (place_) Own(std::forward<Body>(body));
      act_ = act_in_place<Own>;
    } else {
      new (place_) std::unique_ptr<Own>(std::make_unique<Own>(std::forward<Body>(body)));
      act_ = act_on_heap<Own>;
    }
  }
  Call(Call&& other) noexcept : act_(std::exchange(other.act_, nullptr)) {
    if (act_) act_(Act::move, place_, other.place_);
  }
  Call& operator=(Call&& other) noexcept {
    if (this == &other) return *this;
    drop();
    act_ = std::exchange(other.act_, nullptr);
    if (act_) act_(Act::move, place_, other.place_);
    return *this;
  }
  ~Call() { drop(); }

  void operator()() { act_(Act::call, place_, nullptr); }

 private:
  static constexpr std::size_t room = 72;
  enum class Act { call, move, drop };  // move: from the second place, which ends

  template <class Held>
  static Held& at(std::byte* place) {
    return *std::launder(reinterpret_cast<Held*>(place));
  }
  template <class Held>
  static void keep(Act act, std::byte* place, std::byte* from) {
    if (act == Act::drop) return at<Held>(place).~Held();
    new (place) Held(std::move(at<Held>(from)));
    at<Held>(from).~Held();
  }
  template <class Own>
  static void act_in_place(Act act, std::byte* place, std::byte* from) {
    act == Act::call ? at<Own>(place)() : keep<Own>(act, place, from);
  }
  template <class Own>
  static void act_on_heap(Act act, std::byte* place, std::byte* from) {
    using Held = std::unique_ptr<Own>;
    act == Act::call ? (*at<Held>(place))() : keep<Held>(act, place, from);
  }

  void drop() {
    if (act_) act_(Act::drop, place_, nullptr);
  }

  void (*act_)(Act, std::byte*, std::byte*) = nullptr;
  alignas(std::max_align_t) std::byte place_[room];
};

class Queue {
 public:
  Time now() const { return now_; }
  std::int64_t events() const { return events_; }

  void at(Time time, Call call) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(calls_.size());
      calls_.push_back(std::move(call));
    } else {
      slot = free_.back();
      free_.pop_back();
      calls_[slot] = std::move(call);
    }
    heap_.push_back({std::max(time, now_), ++order_, slot});
    std::push_heap(heap_.begin(), heap_.end(), is_later);
  }
  void after(Duration delay, Call call) { at(now_ + delay, std::move(call)); }

  void run_next() {
    VERIFY(!heap_.empty(), "nothing is left to happen");
    std::pop_heap(heap_.begin(), heap_.end(), is_later);
    const Entry next = heap_.back();
    heap_.pop_back();
    now_ = next.time;
    ++events_;
    Call call = std::move(calls_[next.slot]);
    free_.push_back(next.slot);
    call();
  }

 private:
  struct Entry {
    Time time;
    std::int64_t order = 0;
    std::uint32_t slot = 0;
  };
  static bool is_later(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }

  std::vector<Entry> heap_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> free_;
  Time now_ = from_ms(1'000'000);
  std::int64_t order_ = 0;
  std::int64_t events_ = 0;
};

}  // namespace dt::sim
