#include "formats/spool.h"

#include <array>

#include "formats/json.h"

namespace dt {
namespace {

constexpr std::size_t prefix_bytes = 9;  // eight hex digits and a space

constexpr std::array<std::uint32_t, 256> crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0xedb88320u : 0u);
    table[i] = value;
  }
  return table;
}();

std::string prefix_of(std::string_view json) {
  const std::uint32_t sum = crc32(json);
  std::string prefix;
  for (int shift = 28; shift >= 0; shift -= 4) {
    prefix += "0123456789abcdef"[sum >> shift & 0xf];
  }
  return prefix + ' ';
}

bool is_intact(std::string_view line) {
  if (line.size() < prefix_bytes) return false;
  return line.substr(0, prefix_bytes) == prefix_of(line.substr(prefix_bytes));
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t sum = 0xffffffffu;
  for (const char byte : bytes) {
    sum = (sum >> 8) ^ crc_table[(sum ^ static_cast<std::uint8_t>(byte)) & 0xff];
  }
  return ~sum;
}

std::string spool_line(const Value& record) {
  const std::string json = to_json(record);
  return prefix_of(json) + json + '\n';
}

SpoolScan scan_spool(std::string_view bytes) {
  SpoolScan scan;
  while (!scan.damaged) {
    const std::size_t newline = bytes.find('\n', scan.consumed);
    if (newline == bytes.npos) break;
    const auto line = bytes.substr(scan.consumed, newline - scan.consumed);
    auto record = is_intact(line) ? parse_json(line.substr(prefix_bytes))
                                  : Result<Value>(data_loss("spool line is damaged"));
    scan.damaged = !record.ok();
    if (scan.damaged) break;
    scan.consumed = newline + 1;
    scan.lines.push_back({std::move(record).value(), scan.consumed});
  }
  return scan;
}

}  // namespace dt
