#include "core/agent/record.h"

#include <array>

namespace dt::core {

namespace {

constexpr std::array kind_names{"hello",      "metrics", "checkpoint", "artifact",   "progress",
                                "early_exit", "log",     "exit",       "environment"};

}  // namespace

const char* to_text(RecordKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

bool parse_record_kind(const std::string& text, RecordKind& kind) {
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (text != kind_names[i]) continue;
    kind = static_cast<RecordKind>(i);
    return true;
  }
  return false;
}

}  // namespace dt::core
