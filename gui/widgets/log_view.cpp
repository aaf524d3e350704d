#include "gui/widgets/log_view.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QDateTime>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "gui/data/format.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr std::size_t shown_bytes = 4'096;     // of one line
constexpr std::int64_t copied_rows = 500'000;  // at once: beyond, a file serves better

QString time_text(std::int64_t time_ms) {
  return QDateTime::fromMSecsSinceEpoch(time_ms).toString(QStringLiteral("HH:mm:ss"));
}

QString rank_text(int rank) {
  return rank >= 0 ? QStringLiteral("r%1").arg(rank) : QStringLiteral("node%1").arg(-1 - rank);
}

// At most `shown_bytes`, never half a character, with what is missing.
QString shown_text(std::string_view text) {
  std::size_t size = std::min(text.size(), shown_bytes);
  while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
    --size;
  QString shown = plain(QString::fromUtf8(text.data(), static_cast<qsizetype>(size)));
  shown.replace(QLatin1Char('\t'), QStringLiteral("    "))
      .replace(QLatin1Char('\n'), QChar(0x23ce));
  if (size < text.size()) {
    shown += QStringLiteral(" … (%1 in all)").arg(bytes(static_cast<std::int64_t>(text.size())));
  }
  return shown;
}

QColor level_color(const LogEntry& line) {
  switch (level_of(line.text)) {
    case LogLevel::error: return theme().bad;
    case LogLevel::warning: return theme().warning;
    case LogLevel::debug: return theme().faint;
    case LogLevel::info: break;
  }
  return theme().text;
}

}  // namespace

LogView::LogView(LogModel& model, QWidget* parent) : QAbstractScrollArea(parent), model_(model) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(QStringLiteral("Log lines"));
  viewport()->setCursor(Qt::IBeamCursor);
  viewport()->setFont(mono_font());
  connect(&model, &LogModel::rows_changed, this, &LogView::take_rows);
  connect(&model, &LogModel::rows_went, this, &LogView::shift_rows);
}

int LogView::row_height() const { return QFontMetrics(viewport()->font()).height() + 3; }
int LogView::rows_in_view() const { return std::max(1, viewport()->height() / row_height()); }
int LogView::text_left() const {
  return QFontMetrics(viewport()->font()).horizontalAdvance(QStringLiteral("00:00:00  node0  ")) +
         12;
}
std::int64_t LogView::top_row() const { return verticalScrollBar()->value(); }

void LogView::set_following(bool on) {
  if (is_following_ == on) return;
  is_following_ = on;
  if (on) place_scroll_bars();
  Q_EMIT following_changed(on);
}

void LogView::set_marks(LogFilter words) {
  marks_ = std::move(words);
  viewport()->update();
}

void LogView::take_rows() {
  if (model_.rows() == 0) current_.reset(), anchor_.reset(), widest_ = 0;
  place_scroll_bars();
  viewport()->update();
}

void LogView::shift_rows(std::int64_t gone) {
  const auto shift = [&](std::optional<std::int64_t>& row) {
    if (row) row = *row >= gone ? std::optional(*row - gone) : std::nullopt;
  };
  shift(current_);
  shift(anchor_);
  if (is_following_) return;
  is_ours_ = true;
  verticalScrollBar()->setValue(static_cast<int>(std::max<std::int64_t>(0, top_row() - gone)));
  is_ours_ = false;
}

void LogView::place_scroll_bars() {
  is_ours_ = true;
  const auto last = static_cast<int>(std::max<std::int64_t>(0, model_.rows() - rows_in_view()));
  verticalScrollBar()->setPageStep(rows_in_view());
  verticalScrollBar()->setRange(0, last);
  if (is_following_) verticalScrollBar()->setValue(last);
  const int room = viewport()->width() - text_left() - 8;
  horizontalScrollBar()->setPageStep(std::max(1, room));
  horizontalScrollBar()->setSingleStep(24);
  horizontalScrollBar()->setRange(0, std::max(0, widest_ - room));
  is_ours_ = false;
}

void LogView::scrollContentsBy(int, int) {
  if (!is_ours_) set_following(verticalScrollBar()->value() == verticalScrollBar()->maximum());
  viewport()->update();
}

void LogView::show_row(std::int64_t row) {
  row = std::clamp<std::int64_t>(row, 0, std::max<std::int64_t>(0, model_.rows() - 1));
  set_following(false);
  current_ = anchor_ = row;
  is_ours_ = true;
  verticalScrollBar()->setValue(
      static_cast<int>(std::max<std::int64_t>(0, row - rows_in_view() / 2)));
  is_ours_ = false;
  viewport()->update();
}

QString LogView::row_text(std::int64_t row) const {
  const LogEntry line = model_.line(row);
  return time_text(line.time_ms) + QStringLiteral("  ") + rank_text(line.rank) +
         QStringLiteral("  ") + shown_text(line.text);
}

void LogView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.fillRect(viewport()->rect(), theme().surface);
  const std::int64_t rows = model_.rows();
  const std::int64_t last = std::min<std::int64_t>(rows, top_row() + rows_in_view() + 1);
  const int widest_before = widest_;
  for (std::int64_t row = top_row(); row < last; ++row) {
    paint_row(painter, row, static_cast<int>(row - top_row()) * row_height());
  }
  if (widest_ != widest_before) {
    QMetaObject::invokeMethod(
        this, [this] { place_scroll_bars(); }, Qt::QueuedConnection);
  }
}

void LogView::paint_row(QPainter& painter, std::int64_t row, int y) {
  const LogEntry line = model_.line(row);
  const QRect whole(0, y, viewport()->width(), row_height());
  const bool is_chosen = current_ && anchor_ && row >= std::min(*current_, *anchor_) &&
                         row <= std::max(*current_, *anchor_);
  if (is_chosen) painter.fillRect(whole, theme().selection);
  const QColor color = level_color(line);
  if (color == theme().bad || color == theme().warning)
    painter.fillRect(QRect(0, y, 3, row_height()), color);
  painter.setPen(theme().faint);
  painter.drawText(QRect(10, y, text_left(), row_height()), Qt::AlignLeft | Qt::AlignVCenter,
                   time_text(line.time_ms) + QStringLiteral("  ") + rank_text(line.rank));
  const QString text = shown_text(line.text);
  widest_ = std::max(widest_, painter.fontMetrics().horizontalAdvance(text));
  const QRect where(text_left(), y, viewport()->width() - text_left(), row_height());
  painter.save();
  painter.setClipRect(where);
  paint_text(painter, where.translated(-horizontalScrollBar()->value(), 0), text, color);
  painter.restore();
}

void LogView::paint_text(QPainter& painter, const QRect& where, const QString& text,
                         const QColor& color) {
  QColor mark = theme().warning;
  mark.setAlphaF(0.35F);
  for (const auto& [at, length] : marks_.places_in(text)) {
    const QFontMetrics metrics = painter.fontMetrics();
    const int left = metrics.horizontalAdvance(text.left(at));
    painter.fillRect(QRect(where.left() + left, where.top(),
                           metrics.horizontalAdvance(text.mid(at, length)), where.height()),
                     mark);
  }
  painter.setPen(color);
  const QRect endless(where.topLeft(), QSize(1 << 24, where.height()));
  painter.drawText(endless,
                   Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextDontClip, text);
}

void LogView::resizeEvent(QResizeEvent*) { place_scroll_bars(); }

void LogView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) viewport()->update();
  QAbstractScrollArea::changeEvent(event);
}

std::int64_t LogView::row_under(int y) const {
  const std::int64_t row = top_row() + y / row_height();
  return std::clamp<std::int64_t>(row, 0, std::max<std::int64_t>(0, model_.rows() - 1));
}

void LogView::select(std::int64_t row, bool extend) {
  current_ = row;
  if (!extend || !anchor_) anchor_ = row;
  viewport()->update();
}

void LogView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || model_.rows() == 0) return;
  select(row_under(static_cast<int>(event->position().y())),
         event->modifiers() & Qt::ShiftModifier);
}

void LogView::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton) || !anchor_) return;
  const int y = static_cast<int>(event->position().y());
  if (y < 0) verticalScrollBar()->setValue(verticalScrollBar()->value() - 1);
  if (y > viewport()->height()) verticalScrollBar()->setValue(verticalScrollBar()->value() + 1);
  select(row_under(std::clamp(y, 0, viewport()->height())), true);
}

void LogView::move_current(std::int64_t row, bool extend) {
  if (model_.rows() == 0) return;
  row = std::clamp<std::int64_t>(row, 0, model_.rows() - 1);
  select(row, extend);
  if (row < top_row()) verticalScrollBar()->setValue(static_cast<int>(row));
  if (row >= top_row() + rows_in_view()) {
    verticalScrollBar()->setValue(static_cast<int>(row - rows_in_view() + 1));
  }
}

void LogView::keyPressEvent(QKeyEvent* event) {
  const bool extend = event->modifiers() & Qt::ShiftModifier;
  const std::int64_t here = current_.value_or(top_row());
  if (event->matches(QKeySequence::Copy)) return copy();
  if (event->matches(QKeySequence::SelectAll)) return select_all();
  switch (event->key()) {
    case Qt::Key_Up: return move_current(here - 1, extend);
    case Qt::Key_Down: return move_current(here + 1, extend);
    case Qt::Key_PageUp: return move_current(here - rows_in_view(), extend);
    case Qt::Key_PageDown: return move_current(here + rows_in_view(), extend);
    case Qt::Key_Home: return move_current(0, extend);
    case Qt::Key_End: move_current(model_.rows() - 1, extend); return set_following(true);
    default: QAbstractScrollArea::keyPressEvent(event);
  }
}

void LogView::contextMenuEvent(QContextMenuEvent* event) { Q_EMIT menu_wanted(event->globalPos()); }

void LogView::select_all() {
  if (model_.rows() == 0) return;
  anchor_ = 0;
  current_ = model_.rows() - 1;
  viewport()->update();
}

QString LogView::selected_text() const {
  QString text;
  if (!current_ || !anchor_) return text;
  const std::int64_t from = std::min(*current_, *anchor_);
  const std::int64_t to =
      std::min({std::max(*current_, *anchor_), model_.rows() - 1, from + copied_rows});
  for (std::int64_t row = from; row <= to; ++row) {
    const std::string_view line = model_.line(row).text;
    text += QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size())) + QLatin1Char('\n');
  }
  return text;
}

void LogView::copy() const {
  const QString text = selected_text();
  if (!text.isEmpty()) QGuiApplication::clipboard()->setText(text);
}

}  // namespace dt::gui
