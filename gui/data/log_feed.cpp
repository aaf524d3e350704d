#include "gui/data/log_feed.h"

#include <algorithm>

#include "dovetail/v1/logs.grpc.pb.h"
#include "gui/data/log_lines.h"

namespace dt::gui {
namespace {

constexpr int lines_at_once = 4'000;  // a few milliseconds of work

LogPiece piece_from(const v1::LogLine& line) {
  return {.time_ms = line.time_ms(),
          .attempt = line.attempt(),
          .rank = line.rank(),
          .is_error = line.output() == "stderr",
          .text = cleaned_log_text(line.text())};
}

}  // namespace

LogFeed::LogFeed(Master& master, Live& live, QObject* parent)
    : QObject(parent), master_(master), live_(live) {
  hand_on_later_.setSingleShot(true);
  connect(&hand_on_later_, &QTimer::timeout, this, &LogFeed::hand_on);
  connect(&live, &Live::reset, this, [this] {
    if (!problem_.ok() || has_ended_) connect_now();  // one that still runs has lost nothing
  });
}

void LogFeed::open(LogWish wish) {
  wish_ = std::move(wish);
  is_loaded_ = false;
  is_from_start_ = false;
  connect_now();
}

void LogFeed::connect_now() {
  if (!is_from_start_) {
    waiting_.clear();
    received_ = 0;
    is_new_ = true;
  }
  to_skip_ = received_;
  has_ended_ = false;
  problem_ = {};
  v1::ReadLogsRequest request;
  request.set_trial_id(wish_.trial);
  request.set_attempt(wish_.attempt);
  for (const int rank : wish_.ranks) request.add_ranks(rank);
  request.set_tail(is_from_start_ ? 0 : wish_.tail);
  request.set_follow(true);
  request.set_search(wish_.search.toStdString());
  request.set_regex(wish_.regex.toStdString());
  stream_ = master_.stream<v1::Logs>(
      &v1::Logs::Stub::ReadLogs, request, [this](const v1::LogBatch& batch) { take(batch); },
      [this](const Status& status) { end(status); });
  Q_EMIT state_changed();
}

void LogFeed::take(const v1::LogBatch& batch) {
  const std::int64_t lines = batch.lines_size();
  if (received_ == 0) is_from_start_ = wish_.tail == 0 || lines < wish_.tail;
  const std::int64_t known = std::min(to_skip_, lines);
  to_skip_ -= known;
  if (known == lines) return;
  received_ += lines - known;
  waiting_.push_back(batch);
  waiting_.back().mutable_lines()->DeleteSubrange(0, static_cast<int>(known));
  if (!hand_on_later_.isActive()) hand_on_later_.start(0);
}

void LogFeed::begin_if_new() {
  if (!is_new_) return;
  is_new_ = false;
  Q_EMIT began();
}

void LogFeed::hand_on() {
  begin_if_new();
  std::vector<LogPiece> pieces;
  while (!waiting_.empty() && static_cast<int>(pieces.size()) < lines_at_once) {
    for (const v1::LogLine& line : waiting_.front().lines()) pieces.push_back(piece_from(line));
    waiting_.pop_front();
  }
  if (!pieces.empty()) Q_EMIT arrived(pieces);
  if (!waiting_.empty()) hand_on_later_.start(0);
  if (is_loaded_) return;
  is_loaded_ = true;
  Q_EMIT state_changed();
}

void LogFeed::end(const Status& status) {
  problem_ = status;
  if (status.ok()) {
    has_ended_ = true;
    is_loaded_ = true;
    begin_if_new();  // an empty log is one too
  } else if (live_.state() == Live::State::online && status.code() == Code::unavailable) {
    QTimer::singleShot(500, this, [this] {  // the window noticed nothing: only this stream broke
      if (!problem_.ok()) connect_now();
    });
  }
  Q_EMIT state_changed();
}

}  // namespace dt::gui
