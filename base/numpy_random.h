// The Mersenne Twister as numpy.random.RandomState draws from it, bit for bit: searchers and
// samplers use it because Determined does, so a seed gives the trials it gave there. snapshot()
// holds the whole state, in integers that survive JSON; restore() continues the same stream.
// One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/value.h"

namespace dt {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed);

  std::uint32_t bits32();
  std::uint64_t bits64();  // two draws, the high word first

  // An integer of [0, limit], by masked rejection; a limit of 0 draws nothing.
  std::uint64_t up_to(std::uint64_t limit);
  std::int64_t integer(std::int64_t low, std::int64_t high);  // randint: [low, high)
  double unit();                                              // [0, 1), 53 bits, two draws
  double uniform(double low, double high);

  template <class T>
  void shuffle(std::vector<T>& items) {  // RandomState.shuffle: Fisher-Yates from the end
    for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[up_to(i)]);
  }

  Value snapshot() const;
  Status restore(const Value& snapshot);  // on an error the state is unchanged

  bool operator==(const NumpyRandom&) const = default;

 private:
  static constexpr std::size_t words = 624;
  void refill();

  std::array<std::uint32_t, words> key_{};
  std::size_t position_ = words;  // words of key_ already drawn
};

}  // namespace dt
