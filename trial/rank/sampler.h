// Which samples an optimizer step sees, and which rank sees which of them. An epoch is a
// permutation that is a function of (seed, epoch) alone; a window is its next `batch` samples, and
// the epoch's last window may be smaller: nothing is padded, dropped or seen twice. A window is cut
// into ranks × accumulation micro-batches whose sizes differ by at most one; micro-batch k of rank
// r is number k·ranks + r, so one rank with accumulation N walks through the very micro-batches
// that N ranks share. The state is (epoch, cursor) and knows no ranks, so a resume at any world
// size goes on with the next sample. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dt::trial {

struct DataPosition {
  std::int64_t epoch = 0;
  std::int64_t cursor = 0;  // samples of the epoch already taken
  bool operator==(const DataPosition&) const = default;
};

using Indices = std::span<const std::int64_t>;

// 0 … samples−1 in the order of this epoch: Fisher and Yates from the last place down, drawing from
// dt::Rng seeded by mix(seed, epoch).
std::vector<std::int64_t> permutation(std::int64_t samples, std::uint64_t seed, std::int64_t epoch);

// Part `index` of `count`: [index·n/count, (index+1)·n/count). Empty when n is too small.
Indices micro_batch(Indices window, std::int64_t index, std::int64_t count);

// A seed from several numbers, for streams that must not be alike.
std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0);

class Sampler {
 public:
  Sampler(std::int64_t samples, std::int64_t batch, std::uint64_t seed, DataPosition position = {});

  // The samples of the next step. Valid until the next call.
  Indices next();
  // Where the next window begins.
  DataPosition position() const { return position_; }
  std::int64_t windows_per_epoch() const { return (samples_ + batch_ - 1) / batch_; }

 private:
  std::int64_t samples_;
  std::int64_t batch_;
  std::uint64_t seed_;
  DataPosition position_;
  std::vector<std::int64_t> order_;
  std::int64_t order_epoch_ = -1;
};

}  // namespace dt::trial
