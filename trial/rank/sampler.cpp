#include "trial/rank/sampler.h"

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "base/verify.h"

namespace dt::trial {

std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  return Rng(Rng(Rng(seed).next() ^ a).next() ^ b).next();
}

std::vector<std::int64_t> permutation(std::int64_t samples, std::uint64_t seed,
                                      std::int64_t epoch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  Rng rng(mix(seed, static_cast<std::uint64_t>(epoch)));
  for (std::int64_t last = samples - 1; last > 0; --last) {
    std::swap(order[static_cast<std::size_t>(last)],
              order[static_cast<std::size_t>(rng.between(0, last))]);
  }
  return order;
}

Indices micro_batch(Indices window, std::int64_t index, std::int64_t count) {
  VERIFY(index >= 0 && index < count, "micro-batch ", index, " of ", count);
  const auto samples = static_cast<std::int64_t>(window.size());
  const std::int64_t begin = index * samples / count;
  const std::int64_t end = (index + 1) * samples / count;
  return window.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

Sampler::Sampler(std::int64_t samples, std::int64_t batch, std::uint64_t seed,
                 DataPosition position)
    : samples_(samples), batch_(batch), seed_(seed), position_(position) {
  VERIFY(samples > 0 && batch > 0, samples, " samples, batch ", batch);
  VERIFY(position.cursor >= 0 && position.cursor < samples, "cursor ", position.cursor);
}

Indices Sampler::next() {
  if (order_epoch_ != position_.epoch) {
    order_ = permutation(samples_, seed_, position_.epoch);
    order_epoch_ = position_.epoch;
  }
  const std::int64_t taken = std::min(batch_, samples_ - position_.cursor);
  const Indices window = Indices(order_).subspan(static_cast<std::size_t>(position_.cursor),
                                                 static_cast<std::size_t>(taken));
  position_.cursor += taken;
  if (position_.cursor == samples_) position_ = {position_.epoch + 1, 0};
  return window;
}

}  // namespace dt::trial
