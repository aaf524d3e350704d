// Lines of a log, painted as they are needed: a million scroll like a hundred. It follows the end
// until the user scrolls up. Rows are selected whole. All text is plain: what would reorder or hide
// text is shown as a mark, and a huge line is cut with one. GUI thread only.
#pragma once

#include <QAbstractScrollArea>
#include <optional>

#include "gui/models/log_model.h"

namespace dt::gui {

class LogView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit LogView(LogModel& model, QWidget* parent = nullptr);

  bool is_following() const { return is_following_; }
  void set_following(bool on);
  // Shows the row in the middle and marks it.
  void show_row(std::int64_t row);
  void set_marks(LogFilter words);  // highlighted wherever they are
  std::optional<std::int64_t> current_row() const { return current_; }
  std::int64_t top_row() const;
  QString selected_text() const;
  // As it is painted: "12:04:31  r1  loss 0.4".
  QString row_text(std::int64_t row) const;

  void copy() const;
  void select_all();

 Q_SIGNALS:
  void following_changed(bool on);
  void menu_wanted(const QPoint& global);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void take_rows();
  void shift_rows(std::int64_t gone);
  void place_scroll_bars();
  void paint_row(QPainter& painter, std::int64_t row, int y);
  void paint_text(QPainter& painter, const QRect& where, const QString& text, const QColor& color);
  int row_height() const;
  int rows_in_view() const;
  int text_left() const;
  std::int64_t row_under(int y) const;
  void select(std::int64_t row, bool extend);
  void move_current(std::int64_t row, bool extend);

  LogModel& model_;
  LogFilter marks_;
  bool is_following_ = true;
  bool is_ours_ = false;  // the scroll bar moves by our hand, not the user's
  std::optional<std::int64_t> current_;
  std::optional<std::int64_t> anchor_;
  int widest_ = 0;  // text seen so far, pixels
};

}  // namespace dt::gui
