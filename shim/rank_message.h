// What a rank may say on its socket (DESIGN §6): one JSON line is checked and becomes a hello or a
// message with the body of its record. Unknown members are dropped; what is wrong is an error that
// names it, together with the number of the refused message if it had one. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/status.h"
#include "base/value.h"
#include "core/agent/record.h"

namespace dt::shim {

inline constexpr std::int64_t protocol_version = 1;

struct Hello {
  std::int64_t protocol = 0;
  int rank = 0;
  std::string token;
  Value body;  // {start_step?, software?}
  bool operator==(const Hello&) const = default;
};

struct Message {
  std::int64_t seq = 0;
  core::RecordKind kind = core::RecordKind::metrics;
  Value body;
  bool operator==(const Message&) const = default;
};

struct Refusal {
  std::string code;  // "invalid_json", "unknown_type", "invalid_message"
  std::string message;
  std::int64_t seq = 0;  // 0: unknown
  bool operator==(const Refusal&) const = default;
};

using RankLine = std::variant<Hello, Message, Refusal>;

RankLine parse_rank_line(std::string_view line);

// A name that cannot leave its folder: no slash, no "." or "..", not empty.
bool is_plain_name(const std::string& name);
// A relative path of plain names.
bool is_inner_path(const std::string& path);

}  // namespace dt::shim
