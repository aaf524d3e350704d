// The lines of a log that a view shows: those of LogLines that pass a filter, by row. A filter over
// a million lines is worked off in slices between two frames; rows appear as they are found.
// Searching goes the same way. GUI thread only.
#pragma once

#include <QObject>
#include <QRegularExpression>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gui/data/log_feed.h"
#include "gui/data/log_lines.h"

namespace dt::gui {

// Which lines, by what they hold and who wrote them.
class LogFilter {
 public:
  LogFilter() = default;
  // Plain words without regard to case, or a regular expression; nothing if that is not one.
  static std::optional<LogFilter> create(const QString& text, bool is_regex,
                                         std::optional<int> rank, QString* problem = nullptr);
  bool accepts(const LogEntry& line) const;
  bool is_empty() const { return words_.empty() && !is_regex_ && !rank_; }
  // Where in the text the filter's words are, for a highlight.
  std::vector<std::pair<int, int>> places_in(const QString& text) const;

 private:
  std::string words_;  // lower case
  QString shown_words_;
  bool is_regex_ = false;
  QRegularExpression regex_;
  std::optional<int> rank_;
};

class LogModel : public QObject {
  Q_OBJECT

 public:
  explicit LogModel(LogLimits limits = {}, QObject* parent = nullptr);

  void clear();
  void append(const std::vector<LogPiece>& pieces);
  void set_filter(LogFilter filter);
  const LogFilter& filter() const { return filter_; }

  std::int64_t rows() const;
  LogEntry line(std::int64_t row) const;
  std::int64_t number(std::int64_t row) const;     // of the line
  std::int64_t row_at(std::int64_t number) const;  // the first row at or after the line
  std::int64_t row_at_time(std::int64_t time_ms) const;
  const LogLines& lines() const { return lines_; }
  const std::set<int>& ranks() const { return ranks_; }
  bool is_filtering() const { return next_ < lines_.end(); }

  // The next row with the words after `row` (or before it), round the end; found() answers.
  void find(const LogFilter& words, std::int64_t row, bool forward);

 Q_SIGNALS:
  void rows_changed();
  // That many rows went at the top: what is shown moves up by as many.
  void rows_went(qint64 count);
  void found(std::optional<qint64> row);
  void ranks_changed();

 private:
  struct Search {
    LogFilter words;
    std::int64_t next = 0;  // row
    std::int64_t left = 0;  // rows to look at
    int step = 1;
  };

  void drop_gone();
  void filter_slice();
  void search_slice();

  LogLines lines_;
  LogFilter filter_;
  std::deque<std::int64_t> accepted_;  // numbers; unused without a filter
  std::int64_t next_ = 0;              // the first line that the filter has not seen
  std::int64_t known_first_ = 0;
  std::set<int> ranks_;
  std::optional<Search> search_;
  QTimer filter_later_;
  QTimer search_later_;
};

}  // namespace dt::gui
