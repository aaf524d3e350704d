#include "gui/widgets/spark_delegate.h"

#include <QPainter>
#include <algorithm>

#include "gui/models/trials_model.h"
#include "gui/widgets/theme.h"

namespace dt::gui {

void SparkDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  CellDelegate::paint(painter, option, index);  // ground and selection
  const auto values = index.data(spark_role).value<QList<double>>();
  if (values.size() < 2) return;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double range = *high > *low ? *high - *low : 1;
  const QRectF place = QRectF(option.rect).adjusted(grid, 6, -grid, -6);
  QPolygonF line;
  for (qsizetype i = 0; i < values.size(); ++i) {
    const double along = static_cast<double>(i) / static_cast<double>(values.size() - 1);
    line.append({place.left() + along * place.width(),
                 place.bottom() - (values[i] - *low) / range * place.height()});
  }
  const auto swatch = index.siblingAtColumn(0).data(swatch_role).value<QColor>();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(QPen(swatch.isValid() ? swatch : theme().faint, 1.25));
  painter->drawPolyline(line);
  painter->restore();
}

}  // namespace dt::gui
