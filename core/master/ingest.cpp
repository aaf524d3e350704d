#include "core/master/ingest.h"

#include <utility>

#include "base/number.h"

namespace dt::core {
namespace {

constexpr int searched_rank = 0;  // the searcher hears rank 0 alone
constexpr const char* searched_group = "validation";
constexpr const char* default_group = "training";

std::string text_of(const Value& value, const char* fallback) {
  return value.is_string() ? value.as_string() : fallback;
}

// What the search needs of a report: numbers, and of anything else only its name and type.
Value slim(const Value& value) {
  if (value.is_number() || number_of(value)) return value;
  if (value["type"].is_string()) return Value::Object{{"type", value["type"]}};
  return Value::Object{{"type", value.is_string() ? "text" : value.type_name()}};
}

Value searcher_body(const Record& record) {
  Value::Object values;
  if (record.body["values"].is_object()) {
    for (const auto& [name, value] : record.body["values"].as_object()) {
      values.emplace(name, slim(value));
    }
  }
  Value body = Value::Object{{"group", searched_group}, {"values", std::move(values)}};
  if (record.body["step"].is_int()) body.set("step", record.body["step"]);
  return body;
}

class Plan {
 public:
  explicit Plan(const IngestFacts& facts) : allocation_(facts.allocation), trial_(facts.trial) {}

  void take(const Record& record) {
    switch (record.kind) {
      case RecordKind::hello: return take_hello(record);
      case RecordKind::metrics: return take_metrics(record);
      case RecordKind::log: return take_log(record);
      case RecordKind::artifact:
      case RecordKind::environment: plan.others.push_back(record); return;
      case RecordKind::progress:
        if (record.stream == searched_rank) decide(record, record.body);
        return;
      case RecordKind::checkpoint:
      case RecordKind::early_exit:
      case RecordKind::exit:
        if (record.stream >= 0) decide(record, record.body);
        return;
    }
  }

  IngestPlan plan;

 private:
  void decide(const Record& record, Value body) {
    plan.inbox.push_back({.allocation = allocation_,
                          .trial = trial_,
                          .stream = record.stream,
                          .seq = record.seq,
                          .kind = record.kind,
                          .body = std::move(body)});
  }

  void take_hello(const Record& record) {
    plan.others.push_back(record);
    const Value& start = record.body["start_step"];
    if (record.stream == searched_rank && start.is_int()) plan.start_step = {start.as_int()};
  }

  void take_log(const Record& record) {
    const Value& policies = record.body["policies"];  // that matched; see master/log_matcher.h
    if (policies.is_array()) decide(record, Value::Object{{"policies", policies}});
    plan.logs.push_back({.stream = record.stream,
                         .seq = record.seq,
                         .time_ms = record.time_ms,
                         .output = text_of(record.body["output"], "stdout"),
                         .text = text_of(record.body["text"], "")});
  }

  void take_metrics(const Record& record) {
    const std::string group = text_of(record.body["group"], default_group);
    const Value& values = record.body["values"];
    bool all_numbers = values.is_object();
    if (values.is_object()) {
      for (const auto& [name, value] : values.as_object()) {
        const std::optional<double> number = number_of(value);
        all_numbers = all_numbers && number;
        if (number) plan.points.push_back(point(record, group, name, *number));
      }
    }
    if (!all_numbers) plan.others.push_back(record);
    if (record.stream == searched_rank && group == searched_group) {
      decide(record, searcher_body(record));
    }
  }

  static Point point(const Record& record, const std::string& group, const std::string& name,
                     double value) {
    const Value& step = record.body["step"];
    const Value& epoch = record.body["epoch"];
    return {.rank = record.stream,
            .group = group,
            .name = name,
            .step = step.is_int() ? step.as_int() : 0,
            .value = value,
            .time_ms = record.time_ms,
            .epoch = epoch.is_number() ? std::optional(epoch.as_double()) : std::nullopt};
  }

  AllocationId allocation_;
  TrialId trial_;
};

}  // namespace

IngestPlan plan_ingest(const IngestFacts& facts, const Marks& marks,
                       const std::vector<Record>& records) {
  Plan work(facts);
  work.plan.marks = marks;
  for (const Record& record : records) {
    const auto known = work.plan.marks.find(record.stream);
    const std::int64_t mark = known == work.plan.marks.end() ? 0 : known->second;
    if (record.seq <= mark) continue;  // stored already
    if (record.seq != mark + 1) {
      work.plan.gap = true;  // so are all later ones of this stream
      continue;
    }
    work.plan.marks[record.stream] = record.seq;
    work.take(record);
  }
  return std::move(work.plan);
}

InboxRow part_stored_row(AllocationId allocation, TrialId trial, const CheckpointId& checkpoint,
                         int part, const std::string& failure) {
  Value body = Value::Object{{"id", checkpoint.value}, {"part", part}};
  if (!failure.empty()) body.set("failure", failure);
  return {.allocation = allocation,
          .trial = trial,
          .kind = RecordKind::checkpoint,
          .part_stored = true,
          .body = std::move(body)};
}

}  // namespace dt::core
