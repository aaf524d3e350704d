// What becomes of a batch of records from a spool: which are new (by the stream's mark), which are
// points and logs, and which a decision needs, so that they go to the inbox. The store executes a
// plan in one transaction: points, logs, marks and inbox rows together, or none (DESIGN §4, Inbox).
// Pure; the simulator runs the same plan.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/agent/record.h"
#include "core/master/rows.h"

namespace dt::core {

struct IngestFacts {  // of the allocation, read in the same transaction
  AllocationId allocation;
  TrialId trial;
  int attempt = 1;
  std::string searcher_metric;
  std::string time_metric;  // empty: the step
};

struct Point {
  int rank = 0;
  std::string group;
  std::string name;
  std::int64_t step = 0;
  double value = 0;
  std::int64_t time_ms = 0;
  std::optional<double> epoch;
  bool operator==(const Point&) const = default;
};

struct LogLine {
  int stream = 0;
  std::int64_t seq = 0;
  std::int64_t time_ms = 0;
  std::string output;
  std::string text;
  bool operator==(const LogLine&) const = default;
};

struct StartStep {  // an attempt hides earlier points with a larger step
  std::int64_t step = 0;
  bool operator==(const StartStep&) const = default;
};

struct IngestPlan {
  std::vector<Point> points;
  std::vector<LogLine> logs;
  std::vector<InboxRow> inbox;  // ids are the store's
  std::vector<Record> others;   // hello, artifact, environment: kept as they are
  std::optional<StartStep> start_step;
  Marks marks;  // after this batch
  // A stream whose next record is missing: the relay must send again from marks.
  bool gap = false;
  bool operator==(const IngestPlan&) const = default;
};

IngestPlan plan_ingest(const IngestFacts& facts, const Marks& marks,
                       const std::vector<Record>& records);

// The inbox row of an upload's end: body {id, part, failure}; no failure: the part is stored.
InboxRow part_stored_row(AllocationId allocation, TrialId trial, const CheckpointId& checkpoint,
                         int part, const std::string& failure);

}  // namespace dt::core
