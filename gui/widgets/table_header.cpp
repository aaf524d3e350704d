#include "gui/widgets/table_header.h"

#include <QApplication>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <utility>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int mark_width = 12;

void paint_arrow(QPainter& painter, QPointF tip, bool is_up) {
  const qreal way = is_up ? 1 : -1;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme().accent, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  QPainterPath path(tip + QPointF(-3, way * 1.5));
  path.lineTo(tip + QPointF(0, -way * 1.5));
  path.lineTo(tip + QPointF(3, way * 1.5));
  painter.drawPath(path);
}

}  // namespace

TableHeader::TableHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
  setSectionsClickable(true);
  setSectionsMovable(true);
  setHighlightSections(false);
  setSortIndicatorShown(false);
  setMinimumSectionSize(40);
  setTextElideMode(Qt::ElideRight);
  connect(this, &QHeaderView::sectionClicked, this, &TableHeader::take_click);
}

void TableHeader::show_sort(std::vector<SortKey> keys) {
  keys_ = std::move(keys);
  viewport()->update();
}

// Ascending, descending, and then the table's own order again.
void TableHeader::take_click(int section) {
  std::vector<SortKey> keys = keys_;
  const auto known = std::find_if(keys.begin(), keys.end(),
                                  [&](const SortKey& key) { return key.column == section; });
  const bool adds = QApplication::keyboardModifiers() & Qt::ShiftModifier;
  if (known == keys.end()) {
    if (!adds) keys.clear();
    keys.push_back({section, Qt::AscendingOrder});
  } else if (known->order == Qt::AscendingOrder) {
    known->order = Qt::DescendingOrder;
    if (!adds) keys = {*known};
  } else {
    keys.erase(known);
    if (!adds) keys.clear();
  }
  Q_EMIT sort_wanted(keys);
}

void TableHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
  painter->save();
  QHeaderView::paintSection(painter, rect, section);
  painter->restore();
  const auto key = std::find_if(keys_.begin(), keys_.end(),
                                [&](const SortKey& k) { return k.column == section; });
  if (key == keys_.end()) return;
  // On the side where the title is not.
  const auto alignment =
      Qt::Alignment(model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt());
  const QRect mark = alignment & Qt::AlignRight
                         ? QRect(rect.left(), rect.top(), mark_width, rect.height())
                         : QRect(rect.right() - mark_width, rect.top(), mark_width, rect.height());
  painter->save();
  paint_arrow(*painter, QRectF(mark).center(), key->order == Qt::AscendingOrder);
  if (keys_.size() > 1) {
    QFont small = font();
    small.setPixelSize(9);
    painter->setFont(small);
    painter->drawText(QRect(mark.left(), mark.top() + 1, mark.width(), 10), Qt::AlignCenter,
                      QString::number(key - keys_.begin() + 1));
  }
  painter->restore();
}

QSize TableHeader::sectionSizeFromContents(int section) const {
  return QHeaderView::sectionSizeFromContents(section) + QSize(mark_width, 0);
}

}  // namespace dt::gui
