// A record is one line of an allocation's spool: what a rank said, what it printed, how it ended.
// The shim numbers them, the relay sends them, the master's ingest stores them. `seq` rises by one
// from 1 for each (allocation, stream); a stream is a rank, or −1−n for node n's own words (the
// output of prepare, the shim's messages). The mark of a stream is the highest seq that is stored.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/value.h"

namespace dt::core {

enum class RecordKind {
  hello,        // {start_step?, software?}: the rank's program speaks the protocol
  metrics,      // {group, step, values, epoch?, time?}
  checkpoint,   // {id, step, part, parts, files[{path, bytes, sha256}], metadata}
  artifact,     // {path, name}
  progress,     // {fraction}
  early_exit,   // {reason}: the rank's own word, the exit code outranks it
  log,          // {output: "stdout"|"stderr"|"shim", text}
  exit,         // {code?, signal?, ordered?}: last record of its stream
  environment,  // {variables: [{name, value, reason}], node: [{name, value}]}: once, before the
                // first rank starts
};

const char* to_text(RecordKind kind);
bool parse_record_kind(const std::string& text, RecordKind& kind);

struct Record {
  int stream = 0;
  std::int64_t seq = 0;
  RecordKind kind = RecordKind::log;
  std::int64_t time_ms = 0;   // the node's wall clock; for people, never for decisions
  std::int64_t rank_seq = 0;  // the rank's own number of the message; 0 if the shim made the record
  Value body;
  bool operator==(const Record&) const = default;
};

// The form in which a spool holds it. Reading back fails on what is no record.
Value to_value(const Record& record);
bool record_from(const Value& value, Record& record);

inline int node_stream(int node_rank) { return -1 - node_rank; }

using Marks = std::map<int, std::int64_t>;  // stream -> highest stored seq

}  // namespace dt::core
