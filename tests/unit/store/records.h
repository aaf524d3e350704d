// Records as a spool has them, for the tests of the data path. A Spool numbers them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/agent/record.h"

namespace dt::master {

class Spool {
 public:
  core::Record hello(int rank, std::optional<std::int64_t> start_step = {}) {
    Value body = Value::Object{};
    if (start_step) body.set("start_step", *start_step);
    return make(rank, core::RecordKind::hello, std::move(body));
  }

  core::Record metric(int rank, const std::string& group, const std::string& name,
                      std::int64_t step, double value) {
    return metrics(rank, group, step, Value::Object{{name, value}});
  }

  core::Record metrics(int rank, const std::string& group, std::int64_t step,
                       Value::Object values) {
    return make(rank, core::RecordKind::metrics,
                Value::Object{{"group", group}, {"step", step}, {"values", std::move(values)}});
  }

  core::Record line(int stream, const std::string& text, const std::string& output = "stdout") {
    return make(stream, core::RecordKind::log, Value::Object{{"output", output}, {"text", text}});
  }

  core::Record exit(int rank, int code) {
    return make(rank, core::RecordKind::exit, Value::Object{{"code", code}});
  }

  core::Record make(int stream, core::RecordKind kind, Value body) {
    return {.stream = stream,
            .seq = ++last_[stream],
            .kind = kind,
            .time_ms = 1'700'000'000'000 + last_[stream],
            .body = std::move(body)};
  }

 private:
  std::map<int, std::int64_t> last_;
};

}  // namespace dt::master
