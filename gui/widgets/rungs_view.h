// The rungs of a search as bars: how many trials reach each, and what became of them. A plan
// (before anything ran) and a search that runs look alike. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/data/search_words.h"

namespace dt::gui {

class RungsView : public QWidget {
  Q_OBJECT

 public:
  explicit RungsView(QWidget* parent = nullptr);

  void set_picture(const SearchPicture& picture);
  const SearchPicture& picture() const { return picture_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Line;  // a bracket's title, or a rung
  std::vector<Line> lines() const;
  void paint_rung(QPainter& painter, const QRect& place, const RungBar& rung) const;
  void paint_bar(QPainter& painter, const QRect& place, const RungBar& rung) const;
  int label_width() const;
  int side_width() const;
  QString unit_words(const RungBar& rung) const;
  static QString side_words(const RungBar& rung);

  SearchPicture picture_;
};

}  // namespace dt::gui
