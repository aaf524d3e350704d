#include "core/search/ranking.h"

#include <algorithm>

namespace dt::core {

namespace {

constexpr std::size_t block_limit = 512;

}  // namespace

bool Ranking::before(const RungEntry& a, const RungEntry& b) const {
  if (a.metric != b.metric) return a.metric < b.metric;
  return ties_ == Ties::by_trial && a.trial < b.trial;
}

std::size_t Ranking::block_of(const RungEntry& entry) const {
  const auto block = std::partition_point(
      blocks_.begin(), blocks_.end(), [&](const Block& one) { return before(one.back(), entry); });
  const auto index = static_cast<std::size_t>(block - blocks_.begin());
  return index == blocks_.size() && index > 0 ? index - 1 : index;
}

void Ranking::split_if_large(std::size_t block) {
  if (blocks_[block].size() <= block_limit) return;
  const auto half = blocks_[block].begin() + block_limit / 2;
  Block upper(half, blocks_[block].end());
  blocks_[block].erase(half, blocks_[block].end());
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1, std::move(upper));
}

std::int64_t Ranking::insert(const RungEntry& entry) {
  if (blocks_.empty()) {
    append(entry);
    return 0;
  }
  const std::size_t number = block_of(entry);
  std::int64_t index = 0;
  for (std::size_t i = 0; i < number; ++i) index += static_cast<std::int64_t>(blocks_[i].size());
  Block& block = blocks_[number];
  const auto place =
      std::lower_bound(block.begin(), block.end(), entry,
                       [&](const RungEntry& a, const RungEntry& b) { return before(a, b); });
  index += place - block.begin();
  block.insert(place, entry);
  split_if_large(number);
  ++size_;
  return index;
}

void Ranking::append(const RungEntry& entry) {
  VERIFY(size_ == 0 || !before(entry, blocks_.back().back()), "trial ", entry.trial,
         " is not the last of its rung");
  if (blocks_.empty()) blocks_.emplace_back();
  blocks_.back().push_back(entry);
  split_if_large(blocks_.size() - 1);
  ++size_;
}

void Ranking::erase(const RungEntry& entry) {
  // Equal metrics may fill several blocks.
  for (std::size_t number = block_of(entry); number < blocks_.size(); ++number) {
    Block& block = blocks_[number];
    const auto place = std::find(block.begin(), block.end(), entry);
    if (place == block.end()) continue;
    block.erase(place);
    if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(number));
    --size_;
    return;
  }
  VERIFY(false, "trial ", entry.trial, " has no metric on the rung");
}

const RungEntry& Ranking::at(std::int64_t index) const {
  VERIFY(index >= 0 && index < size_, "place ", index, " of ", size_);
  auto left = static_cast<std::size_t>(index);
  auto block = blocks_.begin();
  for (; left >= block->size(); ++block) left -= block->size();
  return (*block)[left];
}

std::vector<RungEntry> Ranking::list() const {
  std::vector<RungEntry> all;
  all.reserve(static_cast<std::size_t>(size_));
  for (const Block& block : blocks_) all.insert(all.end(), block.begin(), block.end());
  return all;
}

}  // namespace dt::core
