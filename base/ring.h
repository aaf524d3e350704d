// The last so many of a growing list. Each item has a number, from 0 in order, that stays when
// older ones are gone. One thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace dt {

template <class Item>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : capacity_(capacity) {}

  void push(Item item) {
    items_.push_back(std::move(item));
    if (items_.size() <= capacity_) return;
    items_.pop_front();
    ++first_;
  }

  std::int64_t end() const { return first_ + static_cast<std::int64_t>(items_.size()); }

  // From number `start` on, or from the oldest that is left; start -1: the last `limit`. Limit -1:
  // all.
  std::vector<std::pair<std::int64_t, Item>> read(std::int64_t start, std::int64_t limit) const {
    std::int64_t from = std::max(start, first_);
    if (start == -1) from = limit < 0 ? first_ : std::max(end() - limit, first_);
    const std::int64_t to = limit < 0 ? end() : std::min(from + limit, end());
    std::vector<std::pair<std::int64_t, Item>> found;
    for (std::int64_t number = from; number < to; ++number) {
      found.emplace_back(number, items_[static_cast<std::size_t>(number - first_)]);
    }
    return found;
  }

 private:
  std::size_t capacity_;
  std::int64_t first_ = 0;
  std::deque<Item> items_;
};

}  // namespace dt
