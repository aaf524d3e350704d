// The metrics of one rung in ascending order. Inserting gives the place, and reading by place is
// cheap too, at a hundred thousand entries in about a microsecond: the entries lie in small blocks.
// Equal metrics: the later one first (Determined's rule), or by the trial's number. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/search/method.h"

namespace dt::core {

struct RungEntry {
  double metric = 0;
  SearchTrial trial = 0;
  bool operator==(const RungEntry&) const = default;
};

class Ranking {
 public:
  enum class Ties { later_first, by_trial };
  explicit Ranking(Ties ties = Ties::later_first) : ties_(ties) {}

  std::int64_t insert(const RungEntry& entry);  // gives the index
  void append(const RungEntry& entry);          // which goes last
  void erase(const RungEntry& entry);           // which is there
  bool before(const RungEntry& a, const RungEntry& b) const;

  std::int64_t size() const { return size_; }
  const RungEntry& at(std::int64_t index) const;
  std::vector<RungEntry> list() const;

 private:
  using Block = std::vector<RungEntry>;

  std::size_t block_of(const RungEntry& entry) const;  // where it may be inserted
  void split_if_large(std::size_t block);

  Ties ties_;
  std::vector<Block> blocks_;  // none is empty
  std::int64_t size_ = 0;
};

}  // namespace dt::core
