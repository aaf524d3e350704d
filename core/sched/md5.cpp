#include "core/sched/md5.h"

#include <bit>
#include <cstddef>
#include <string>

namespace dt::core {
namespace {

constexpr std::size_t block_bytes = 64;

// floor(2^32 · |sin(i + 1)|), as RFC 1321 lists them.
constexpr std::array<std::uint32_t, 64> sines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

constexpr int rotations[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

using State = std::array<std::uint32_t, 4>;

std::uint32_t word_at(std::string_view block, int index) {
  std::uint32_t word = 0;
  for (int byte = 3; byte >= 0; --byte) {
    word = word << 8 | static_cast<std::uint8_t>(block[static_cast<std::size_t>(4 * index + byte)]);
  }
  return word;
}

struct Mixed {
  std::uint32_t value;
  int word;
};

Mixed mix(int i, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (i < 16) return {(b & c) | (~b & d), i};
  if (i < 32) return {(d & b) | (~d & c), (5 * i + 1) % 16};
  if (i < 48) return {b ^ c ^ d, (3 * i + 5) % 16};
  return {c ^ (b | ~d), (7 * i) % 16};
}

void add_block(State& state, std::string_view block) {
  auto [a, b, c, d] = state;
  for (int i = 0; i < 64; ++i) {
    const Mixed mixed = mix(i, b, c, d);
    const std::uint32_t sum =
        a + mixed.value + sines[static_cast<std::size_t>(i)] + word_at(block, mixed.word);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, rotations[i / 16][i % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

Md5Digest md5(std::string_view text) {
  std::string padded(text);
  padded.push_back('\x80');
  while (padded.size() % block_bytes != 56) padded.push_back('\0');
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int i = 0; i < 8; ++i) padded.push_back(static_cast<char>(bits >> (8 * i)));

  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t at = 0; at < padded.size(); at += block_bytes) {
    add_block(state, std::string_view(padded).substr(at, block_bytes));
  }
  Md5Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (8 * (i % 4)));
  }
  return digest;
}

}  // namespace dt::core
