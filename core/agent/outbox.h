// What one allocation's spool still owes the master: records in file order from the master's marks
// on, one batch in flight, and the parts of checkpoints whose records the master holds. After a
// restart the spool is read from its start, because announced parts may not be uploaded yet; what
// the marks cover is not sent again. Part of the relay brain; deterministic, times are
// CLOCK_BOOTTIME.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/agent/messages.h"
#include "core/agent/record.h"

namespace dt::core::relay {

struct Part {
  CheckpointId checkpoint;
  int part = 0;
  std::vector<CheckpointFile> files;
  bool operator==(const Part&) const = default;
};

class Outbox {
 public:
  explicit Outbox(Duration retry) : retry_(retry) {}
  // After a restart: the marks as they were last heard.
  Outbox(Duration retry, Marks acknowledged, Time now)
      : retry_(retry), acknowledged_(std::move(acknowledged)) {
    if (!acknowledged_.empty()) last_acknowledged_ = now;
  }

  void grew() { unread_ = true; }
  // Where to read from, if it is time to; `read` must follow.
  std::optional<Marks> start_reading(Time now);
  // The records to send; if there are any, `acknowledged` or `failed` must follow.
  std::vector<Record> read(std::vector<Record> records, bool at_end);
  void acknowledged(const Marks& marks, Time now);
  void failed(Time now);
  // The master's own word, after a new link or a new database connection: it may have lost some.
  void named(const Marks& marks);

  // Parts to upload now; each must be followed by `stored` or `part_failed`.
  std::vector<Part> start_uploads(Time now);
  void stored(const CheckpointId& checkpoint, int part);
  void part_failed(const CheckpointId& checkpoint, int part, bool retry, Time now);

  bool drained() const { return !unread_ && !reading_ && !sending_; }
  bool uploaded() const { return uploads_.empty(); }
  const Marks& marks() const { return acknowledged_; }
  // A spool that was acknowledged is kept for a while, in case the master loses what it said.
  Time kept_until(Duration keep) const;
  Time next_retry() const;  // never: nothing waits for a time

 private:
  struct Upload {
    std::vector<CheckpointFile> files;
    int stream = 0;
    std::int64_t seq = 0;  // of its record: uploads wait until the master has it
    bool running = false;
    Time retry_at = Time::min();
  };
  using UploadKey = std::pair<CheckpointId, int>;  // and part

  bool is_acknowledged(int stream, std::int64_t seq) const;
  void rewind(int stream);
  void remember_part(const Record& record);

  Duration retry_;
  Marks acknowledged_;  // stored by the master
  Marks position_;      // read up to here
  Marks in_flight_;     // last of the batch that was sent
  bool unread_ = true;
  bool reading_ = false;
  bool sending_ = false;
  // Marks were named meanwhile: what the batch in flight, or the read, answers is older than they.
  bool named_in_flight_ = false;
  bool named_while_reading_ = false;
  Time retry_at_ = Time::min();
  Time last_acknowledged_ = Time::min();
  std::map<UploadKey, Upload> uploads_;  // that are not done
  std::set<UploadKey> uploaded_;
};

}  // namespace dt::core::relay
