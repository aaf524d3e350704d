// A small seeded generator for simulation, jitter and test data. Its every output is fixed by this
// file: std's distributions differ between libraries, so none is used. (Searchers draw from
// base/numpy_random.h, whose stream is Determined's.)
#pragma once

#include <cstdint>

#include "base/verify.h"

namespace dt {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // splitmix64 (Steele, Lea, Flood 2014)
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::int64_t between(std::int64_t low, std::int64_t high) {  // both inclusive
    VERIFY(low <= high, low, " > ", high);
    return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
  }

  bool chance(int percent) { return between(1, 100) <= percent; }

  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)

 private:
  std::uint64_t state_;
};

}  // namespace dt
