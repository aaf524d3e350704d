// Group commit: pieces of work that arrive while others are being done are then done together, by one
// of the threads that wait for them. At most `at_once` groups are under way. Any thread may call.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace dt::master {

template <class Item, class Answer>
class Group {
 public:
  using Items = std::vector<const Item*>;
  using Work = std::function<std::vector<Answer>(const Items&)>;  // an answer for each, in order

  Group(int at_once, std::size_t items_max, Work work)
      : at_once_(at_once), items_max_(items_max), work_(std::move(work)) {}

  // Returns when the item's group is done.
  Answer run(const Item& item) {
    Waiting mine{.item = &item};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&mine);
    while (!mine.answer) {
      if (under_way_ < at_once_ && !waiting_.empty()) {
        lead(lock);
      } else {
        mine.changed.wait(lock);
      }
    }
    return std::move(*mine.answer);
  }

  std::size_t waiting() const {
    const std::scoped_lock lock(mutex_);
    return waiting_.size();
  }
  int under_way() const {
    const std::scoped_lock lock(mutex_);
    return under_way_;
  }

 private:
  struct Waiting {
    const Item* item = nullptr;
    std::optional<Answer> answer{};
    std::condition_variable changed{};
  };

  void lead(std::unique_lock<std::mutex>& lock) {
    const auto end = waiting_.begin() +
                     static_cast<std::ptrdiff_t>(std::min(waiting_.size(), items_max_));
    const std::vector<Waiting*> group(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    Items items;
    for (const Waiting* one : group) items.push_back(one->item);
    ++under_way_;
    lock.unlock();
    std::vector<Answer> answers = work_(items);
    lock.lock();
    --under_way_;
    for (std::size_t i = 0; i < group.size(); ++i) {
      group[i]->answer.emplace(std::move(answers[i]));
      group[i]->changed.notify_one();
    }
    if (!waiting_.empty()) waiting_.front()->changed.notify_one();  // leads the next
  }

  const int at_once_;
  const std::size_t items_max_;
  const Work work_;
  mutable std::mutex mutex_;
  std::deque<Waiting*> waiting_;  // guarded by mutex_
  int under_way_ = 0;             // guarded by mutex_
};

}  // namespace dt::master
