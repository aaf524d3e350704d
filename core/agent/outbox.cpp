#include "core/agent/outbox.h"

#include <algorithm>

namespace dt::core::relay {

namespace {

std::vector<CheckpointFile> files_of(const Value& body) {
  std::vector<CheckpointFile> files;
  if (!body["files"].is_array()) return files;
  for (const Value& file : body["files"].as_array()) {
    if (!file["path"].is_string() || !file["sha256"].is_string()) continue;
    files.push_back({.path = file["path"].as_string(),
                     .bytes = file["bytes"].is_int() ? file["bytes"].as_int() : 0,
                     .sha256 = file["sha256"].as_string()});
  }
  return files;
}

}  // namespace

bool Outbox::is_acknowledged(int stream, std::int64_t seq) const {
  const auto mark = acknowledged_.find(stream);
  return mark != acknowledged_.end() && seq <= mark->second;
}

// Reads the stream again from its mark, never further on.
void Outbox::rewind(int stream) {
  const auto mark = acknowledged_.find(stream);
  if (mark == acknowledged_.end()) {
    position_.erase(stream);
  } else {
    position_[stream] = std::min(position_[stream], mark->second);
  }
}

std::optional<Marks> Outbox::start_reading(Time now) {
  if (!unread_ || reading_ || sending_ || now < retry_at_) return std::nullopt;
  reading_ = true;
  unread_ = false;
  return position_;
}

std::vector<Record> Outbox::read(std::vector<Record> records, bool at_end) {
  if (!reading_) return {};
  reading_ = false;
  if (!at_end) unread_ = true;
  if (std::exchange(named_while_reading_, false)) return {};  // it began after the marks
  std::vector<Record> fresh;
  in_flight_.clear();
  for (Record& record : records) {
    std::int64_t& position = position_[record.stream];
    position = std::max(position, record.seq);
    if (record.kind == RecordKind::checkpoint) remember_part(record);
    if (is_acknowledged(record.stream, record.seq)) continue;
    in_flight_[record.stream] = record.seq;
    fresh.push_back(std::move(record));
  }
  sending_ = !fresh.empty();
  return fresh;
}

void Outbox::acknowledged(const Marks& marks, Time now) {
  if (!sending_) return;
  sending_ = false;
  if (std::exchange(named_in_flight_, false)) return;
  bool advanced = false;
  for (const auto& [stream, mark] : marks) {
    advanced |= mark > acknowledged_[stream];
    acknowledged_[stream] = mark;
  }
  for (const auto& [stream, seq] : in_flight_) {
    if (is_acknowledged(stream, seq)) continue;
    rewind(stream);  // a gap
    unread_ = true;
  }
  if (advanced) last_acknowledged_ = now;
  retry_at_ = advanced ? Time::min() : now + retry_;
}

void Outbox::failed(Time now) {
  if (!sending_) return;
  sending_ = named_in_flight_ = false;
  for (const auto& [stream, seq] : in_flight_) rewind(stream);
  unread_ = true;
  retry_at_ = now + retry_;
}

void Outbox::named(const Marks& marks) {
  acknowledged_ = marks;
  for (const auto& [stream, position] : Marks(position_)) rewind(stream);
  unread_ = true;
  retry_at_ = Time::min();
  named_in_flight_ = sending_;
  named_while_reading_ = reading_;
}

void Outbox::remember_part(const Record& record) {
  const Value& id = record.body["id"];
  if (!id.is_string()) return;
  const int part =
      record.body["part"].is_int() ? static_cast<int>(record.body["part"].as_int()) : 0;
  const UploadKey key{CheckpointId{id.as_string()}, part};
  if (uploads_.contains(key) || uploaded_.contains(key)) return;
  uploads_[key] = {.files = files_of(record.body), .stream = record.stream, .seq = record.seq};
}

std::vector<Part> Outbox::start_uploads(Time now) {
  std::vector<Part> parts;
  for (auto& [key, upload] : uploads_) {
    if (upload.running || now < upload.retry_at) continue;
    if (!is_acknowledged(upload.stream, upload.seq)) continue;
    upload.running = true;
    parts.push_back({key.first, key.second, upload.files});
  }
  return parts;
}

void Outbox::stored(const CheckpointId& checkpoint, int part) {
  if (uploads_.erase({checkpoint, part}) > 0) uploaded_.emplace(checkpoint, part);
}

void Outbox::part_failed(const CheckpointId& checkpoint, int part, bool retry, Time now) {
  if (!retry) return stored(checkpoint, part);  // nobody can
  const auto found = uploads_.find({checkpoint, part});
  if (found == uploads_.end()) return;
  found->second.running = false;
  found->second.retry_at = now + retry_;
}

Time Outbox::kept_until(Duration keep) const {
  return last_acknowledged_ == Time::min() ? Time::min() : last_acknowledged_ + keep;
}

Time Outbox::next_retry() const {
  Time next = never;
  if (unread_ && !reading_ && !sending_ && retry_at_ != Time::min()) next = retry_at_;
  for (const auto& [key, upload] : uploads_) {
    const bool timed = !upload.running && upload.retry_at != Time::min();
    if (timed && is_acknowledged(upload.stream, upload.seq)) next = std::min(next, upload.retry_at);
  }
  return next;
}

}  // namespace dt::core::relay
