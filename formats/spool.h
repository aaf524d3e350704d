// The lines of a spool (DESIGN §4): one JSON value a line behind its CRC-32, so that a tail which a
// power loss tore or filled with zeros is told from what was written. The shim appends such lines
// and the agent reads them, at any offset where a line begins, while the file grows. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace dt {

std::string spool_line(const Value& record);  // with its newline

struct SpoolScan {
  struct Line {
    Value record;
    std::size_t end = 0;  // offset behind its newline, from the begin of the scanned bytes
  };
  std::vector<Line> lines;
  std::size_t consumed = 0;  // where the next scan begins: behind the last good line
  // A whole line that is not what was written: nothing behind it can be trusted. An unfinished
  // line at the end is no damage, it is just not there yet.
  bool damaged = false;
};
SpoolScan scan_spool(std::string_view bytes);

std::uint32_t crc32(std::string_view bytes);  // of zlib and PNG

}  // namespace dt
