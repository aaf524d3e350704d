#include "base/numpy_random.h"

#include <bit>
#include <cmath>
#include <limits>

namespace dt {

namespace {

constexpr std::uint32_t max_word = std::numeric_limits<std::uint32_t>::max();

// One step of the twister's recurrence (Matsumoto and Nishimura 1998).
std::uint32_t twist(std::uint32_t high, std::uint32_t low, std::uint32_t far) {
  const std::uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
  return far ^ (mixed >> 1) ^ ((mixed & 1u) != 0 ? 0x9908b0dfu : 0u);
}

}  // namespace

NumpyRandom::NumpyRandom(std::uint32_t seed) {
  for (std::size_t i = 0; i < words; ++i) {
    key_[i] = seed;
    seed = 1812433253u * (seed ^ (seed >> 30)) + static_cast<std::uint32_t>(i) + 1u;
  }
}

void NumpyRandom::refill() {
  constexpr std::size_t shift = 397;
  for (std::size_t i = 0; i < words; ++i) {
    key_[i] = twist(key_[i], key_[(i + 1) % words], key_[(i + shift) % words]);
  }
  position_ = 0;
}

std::uint32_t NumpyRandom::bits32() {
  if (position_ == words) refill();
  std::uint32_t word = key_[position_++];
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680u;
  word ^= (word << 15) & 0xefc60000u;
  return word ^ (word >> 18);
}

std::uint64_t NumpyRandom::bits64() {
  const std::uint64_t high = bits32();
  return (high << 32) | bits32();
}

std::uint64_t NumpyRandom::up_to(std::uint64_t limit) {
  if (limit == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(limit);
  for (;;) {
    const std::uint64_t drawn = (limit <= max_word ? bits32() : bits64()) & mask;
    if (drawn <= limit) return drawn;
  }
}

std::int64_t NumpyRandom::integer(std::int64_t low, std::int64_t high) {
  VERIFY(low < high, "empty range [", low, ", ", high, ")");
  const auto first = static_cast<std::uint64_t>(low);
  const std::uint64_t limit = static_cast<std::uint64_t>(high) - first - 1;
  return static_cast<std::int64_t>(first + up_to(limit));  // unsigned: the sum may wrap
}

double NumpyRandom::unit() {
  const double high = bits32() >> 5;
  const double low = bits32() >> 6;
  return (high * 0x1p26 + low) * 0x1p-53;
}

double NumpyRandom::uniform(double low, double high) {
  VERIFY(low <= high, low, " > ", high);
  const double fraction = unit();
  const double width = high - low;
  // numpy refuses a width that overflows; this form stays in range.
  if (std::isinf(width)) return low * (1 - fraction) + high * fraction;
  return low + width * fraction;
}

Value NumpyRandom::snapshot() const {
  Value::Array key;
  key.reserve(words);
  for (const std::uint32_t word : key_) key.push_back(std::int64_t{word});
  return Value::Object{{"key", std::move(key)}, {"position", static_cast<std::int64_t>(position_)}};
}

Status NumpyRandom::restore(const Value& snapshot) {
  const Value& key = snapshot["key"];
  const Value& position = snapshot["position"];
  if (!key.is_array() || key.as_array().size() != words || !position.is_int() ||
      position.as_int() < 0 || position.as_int() > static_cast<std::int64_t>(words)) {
    return data_loss("snapshot of a random stream needs 'key' of ", words,
                     " words and 'position' in it");
  }
  std::array<std::uint32_t, words> restored{};
  for (std::size_t i = 0; i < words; ++i) {
    const Value& word = key.as_array()[i];
    if (!word.is_int() || word.as_int() < 0 || word.as_int() > std::int64_t{max_word}) {
      return data_loss("word ", i, " of a random stream's snapshot is no 32-bit integer");
    }
    restored[i] = static_cast<std::uint32_t>(word.as_int());
  }
  key_ = restored;
  position_ = static_cast<std::size_t>(position.as_int());
  return {};
}

}  // namespace dt
