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

Value to_value(const Record& record) {
  return Value::Object{{"stream", record.stream},      {"seq", record.seq},
                       {"kind", to_text(record.kind)}, {"time_ms", record.time_ms},
                       {"rank_seq", record.rank_seq},  {"body", record.body}};
}

bool record_from(const Value& value, Record& record) {
  for (const char* name : {"stream", "seq", "time_ms", "rank_seq"}) {
    if (!value[name].is_int()) return false;
  }
  if (!value["kind"].is_string()) return false;
  record.stream = static_cast<int>(value["stream"].as_int());
  record.seq = value["seq"].as_int();
  record.time_ms = value["time_ms"].as_int();
  record.rank_seq = value["rank_seq"].as_int();
  record.body = value["body"];
  return parse_record_kind(value["kind"].as_string(), record.kind);
}

}  // namespace dt::core
