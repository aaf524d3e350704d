// A table's header: click sorts, shift-click adds a key, drag reorders, right click hides and pins.
// Several sort keys are numbered. GUI thread only.
#pragma once

#include <QHeaderView>
#include <vector>

#include "gui/models/sorted_rows.h"

namespace dt::gui {

class TableHeader : public QHeaderView {
  Q_OBJECT

 public:
  explicit TableHeader(QWidget* parent = nullptr);

  void show_sort(std::vector<SortKey> keys);

 Q_SIGNALS:
  void sort_wanted(const std::vector<dt::gui::SortKey>& keys);

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;
  QSize sectionSizeFromContents(int section) const override;

 private:
  void take_click(int section);

  std::vector<SortKey> keys_;
};

}  // namespace dt::gui
