// The log of a trial as the master has it, or the part that was asked for, on and on while the
// trial runs. After a lost connection it goes on after the last line that came; only the tail of a
// long log is read anew, and began() says when what came before is to be forgotten. Lines are handed
// on in portions, so that a flood leaves the window time to paint. GUI thread only.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "dovetail/v1/logs.pb.h"
#include "gui/data/live.h"

namespace dt::gui {

struct LogWish {
  std::int64_t trial = 0;
  int attempt = 0;             // 0: all
  std::vector<int> ranks;      // empty: all
  std::int64_t tail = 50'000;  // 0: from the beginning
  QString search;              // a substring of the raw line
  QString regex;               // RE2
  bool operator==(const LogWish&) const = default;
};

struct LogPiece {
  std::int64_t time_ms = 0;
  int attempt = 0;
  int rank = 0;
  bool is_error = false;
  std::string text;  // cleaned
};

class LogFeed : public QObject {
  Q_OBJECT

 public:
  LogFeed(Master& master, Live& live, QObject* parent = nullptr);

  void open(LogWish wish);
  const LogWish& wish() const { return wish_; }
  // The answer to the wish has begun to arrive, or the log has ended.
  bool is_loaded() const { return is_loaded_; }
  bool has_ended() const { return has_ended_; }
  const Status& problem() const { return problem_; }

 Q_SIGNALS:
  void began();  // forget what came before
  void arrived(const std::vector<dt::gui::LogPiece>& pieces);
  void state_changed();

 private:
  void connect_now();
  void take(const v1::LogBatch& batch);
  void hand_on();
  void end(const Status& status);
  void begin_if_new();

  Master& master_;
  Live& live_;
  LogWish wish_;
  Call stream_;
  bool is_new_ = true;  // nothing of this reading was handed on yet
  bool is_from_start_ = false;  // no line before those that came was left out
  std::int64_t received_ = 0;   // lines
  std::int64_t to_skip_ = 0;    // of what comes now: they came before the connection was lost
  bool is_loaded_ = false;
  bool has_ended_ = false;
  Status problem_;
  std::deque<v1::LogBatch> waiting_;
  QTimer hand_on_later_;
};

}  // namespace dt::gui
