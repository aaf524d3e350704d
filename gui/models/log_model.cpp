#include "gui/models/log_model.h"

#include <algorithm>

namespace dt::gui {
namespace {

constexpr std::int64_t lines_a_slice = 20'000;  // under 10 ms of work

QString text_of(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace

std::optional<LogFilter> LogFilter::create(const QString& text, bool is_regex,
                                           std::optional<int> rank, QString* problem) {
  LogFilter filter;
  filter.rank_ = rank;
  if (text.isEmpty()) return filter;
  if (!is_regex) {
    filter.shown_words_ = text;
    filter.words_ = lowered(text.toStdString());
    return filter;
  }
  filter.regex_.setPattern(text);
  filter.is_regex_ = true;
  if (filter.regex_.isValid()) return filter;
  if (problem != nullptr) *problem = filter.regex_.errorString();
  return std::nullopt;
}

bool LogFilter::accepts(const LogEntry& line) const {
  if (rank_ && line.rank != *rank_) return false;
  if (is_regex_) return regex_.match(text_of(line.text)).hasMatch();
  return holds_text(line.text, words_);
}

std::vector<std::pair<int, int>> LogFilter::places_in(const QString& text) const {
  constexpr std::size_t most = 50;
  std::vector<std::pair<int, int>> places;
  if (is_regex_) {
    auto matches = regex_.globalMatch(text);
    while (matches.hasNext() && places.size() < most) {
      const auto match = matches.next();
      if (match.capturedLength() == 0) continue;
      places.emplace_back(static_cast<int>(match.capturedStart()),
                          static_cast<int>(match.capturedLength()));
    }
    return places;
  }
  if (shown_words_.isEmpty()) return places;
  for (auto at = text.indexOf(shown_words_, 0, Qt::CaseInsensitive);
       at >= 0 && places.size() < most;
       at = text.indexOf(shown_words_, at + shown_words_.size(), Qt::CaseInsensitive)) {
    places.emplace_back(static_cast<int>(at), static_cast<int>(shown_words_.size()));
  }
  return places;
}

LogModel::LogModel(LogLimits limits, QObject* parent) : QObject(parent), lines_(limits) {
  filter_later_.setSingleShot(true);
  search_later_.setSingleShot(true);
  connect(&filter_later_, &QTimer::timeout, this, &LogModel::filter_slice);
  connect(&search_later_, &QTimer::timeout, this, &LogModel::search_slice);
}

void LogModel::clear() {
  lines_.clear();
  accepted_.clear();
  next_ = known_first_ = 0;
  search_.reset();
  ranks_.clear();
  Q_EMIT ranks_changed();
  Q_EMIT rows_changed();
}

void LogModel::append(const std::vector<LogPiece>& pieces) {
  const std::size_t ranks_before = ranks_.size();
  for (const LogPiece& piece : pieces) {
    lines_.append({piece.time_ms, piece.attempt, piece.rank, piece.is_error, piece.text});
    ranks_.insert(piece.rank);
  }
  drop_gone();
  if (filter_.is_empty()) {
    next_ = lines_.end();
  } else if (!filter_later_.isActive()) {
    filter_later_.start(0);
  }
  Q_EMIT rows_changed();
  if (ranks_.size() != ranks_before) Q_EMIT ranks_changed();
}

void LogModel::drop_gone() {
  const std::int64_t gone = lines_.first() - known_first_;
  if (gone == 0) return;
  known_first_ = lines_.first();
  next_ = std::max(next_, known_first_);
  std::int64_t rows_gone = gone;
  if (!filter_.is_empty()) {
    const auto kept = std::lower_bound(accepted_.begin(), accepted_.end(), known_first_);
    rows_gone = kept - accepted_.begin();
    accepted_.erase(accepted_.begin(), kept);
  }
  if (search_) search_->next = std::max<std::int64_t>(0, search_->next - rows_gone);
  Q_EMIT rows_went(rows_gone);
}

void LogModel::set_filter(LogFilter filter) {
  filter_ = std::move(filter);
  accepted_.clear();
  search_.reset();
  next_ = filter_.is_empty() ? lines_.end() : lines_.first();
  if (!filter_.is_empty()) filter_slice();
  Q_EMIT rows_changed();
}

void LogModel::filter_slice() {
  if (filter_.is_empty()) return;
  const std::int64_t end = std::min(lines_.end(), next_ + lines_a_slice);
  const std::size_t before = accepted_.size();
  for (; next_ < end; ++next_) {
    if (filter_.accepts(lines_.line(next_))) accepted_.push_back(next_);
  }
  if (next_ < lines_.end()) filter_later_.start(0);
  if (accepted_.size() != before || next_ == lines_.end()) Q_EMIT rows_changed();
}

std::int64_t LogModel::rows() const {
  return filter_.is_empty() ? lines_.size() : static_cast<std::int64_t>(accepted_.size());
}

std::int64_t LogModel::number(std::int64_t row) const {
  return filter_.is_empty() ? lines_.first() + row : accepted_[static_cast<std::size_t>(row)];
}

LogEntry LogModel::line(std::int64_t row) const { return lines_.line(number(row)); }

std::int64_t LogModel::row_at(std::int64_t number) const {
  if (filter_.is_empty())
    return std::clamp<std::int64_t>(number - lines_.first(), 0, lines_.size());
  return std::lower_bound(accepted_.begin(), accepted_.end(), number) - accepted_.begin();
}

std::int64_t LogModel::row_at_time(std::int64_t time_ms) const {
  return row_at(lines_.find_time(time_ms));
}

void LogModel::find(const LogFilter& words, std::int64_t row, bool forward) {
  const std::int64_t count = rows();
  if (count == 0) {
    Q_EMIT found(std::nullopt);
    return;
  }
  const int step = forward ? 1 : -1;
  search_ = Search{words, (row + step + count) % count, count, step};
  search_slice();
}

void LogModel::search_slice() {
  if (!search_) return;
  const std::int64_t count = rows();
  for (std::int64_t i = 0; i < lines_a_slice && search_->left > 0 && count > 0; ++i) {
    const std::int64_t row = std::clamp<std::int64_t>(search_->next, 0, count - 1);
    if (search_->words.accepts(line(row))) {
      search_.reset();
      Q_EMIT found(row);
      return;
    }
    search_->next = (row + search_->step + count) % count;
    --search_->left;
  }
  if (search_->left > 0 && count > 0) return search_later_.start(0);
  search_.reset();
  Q_EMIT found(std::nullopt);
}

}  // namespace dt::gui
