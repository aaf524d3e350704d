#include "gui/widgets/pinned_columns.h"

#include <QApplication>
#include <QHeaderView>
#include <QScrollBar>

#include "gui/widgets/cell_delegate.h"
#include "gui/widgets/table_header.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"

namespace dt::gui {

PinnedColumns::PinnedColumns(TableView& table) : QTableView(&table), table_(table) {
  setModel(table.model());
  setSelectionModel(table.selectionModel());
  setItemDelegate(table.delegate_);
  setFocusPolicy(Qt::NoFocus);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setShowGrid(false);
  setWordWrap(false);
  setFrameShape(NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollMode(ScrollPerPixel);
  setStyleSheet(QStringLiteral("QTableView { border: none; border-radius: 0; }"));
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(row_height);
  verticalHeader()->setDefaultSectionSize(row_height);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  connect(table.verticalScrollBar(), &QScrollBar::valueChanged, verticalScrollBar(),
          &QScrollBar::setValue);
  connect(verticalScrollBar(), &QScrollBar::valueChanged, table.verticalScrollBar(),
          &QScrollBar::setValue);
  connect(table.header_, &QHeaderView::sectionResized, this, &PinnedColumns::update_columns);
  connect(table.header_, &QHeaderView::sectionMoved, this, &PinnedColumns::update_columns);
  connect(table.header_, &QHeaderView::geometriesChanged, this, &PinnedColumns::place);
  hide();
}

void PinnedColumns::pin(const QString& name, bool on) {
  names_.removeAll(name);
  if (on) names_.push_back(name);
  const auto& columns = table_.rows_.columns();
  for (std::size_t i = 0; on && i < columns.size(); ++i) {
    if (columns[i].name != name) continue;
    const int from = table_.header_->visualIndex(static_cast<int>(i));
    table_.header_->moveSection(from, static_cast<int>(names_.size()) - 1);
  }
  update_columns();
}

void PinnedColumns::update_columns() {
  const auto& columns = table_.rows_.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int column = static_cast<int>(i);
    const bool is_shown =
        names_.contains(columns[i].name) && !table_.header_->isSectionHidden(column);
    setColumnHidden(column, !is_shown);
    if (is_shown) setColumnWidth(column, table_.header_->sectionSize(column));
    const int wanted = table_.header_->visualIndex(column);
    if (is_shown) horizontalHeader()->moveSection(horizontalHeader()->visualIndex(column), wanted);
  }
  place();
}

void PinnedColumns::place() {
  int width = 0;
  for (int column = 0; column < model()->columnCount(); ++column) {
    if (!isColumnHidden(column)) width += columnWidth(column);
  }
  setVisible(!names_.isEmpty() && width > 0);
  if (isHidden()) return;
  horizontalHeader()->setFixedHeight(table_.header_->height());
  const int frame = table_.frameWidth();
  setGeometry(frame, frame, width, table_.viewport()->height() + table_.header_->height());
  raise();
}

void PinnedColumns::wheelEvent(QWheelEvent* event) {
  QApplication::sendEvent(table_.viewport(), event);
}

void PinnedColumns::mouseDoubleClickEvent(QMouseEvent* event) {
  table_.open(indexAt(event->position().toPoint()));
}

void PinnedColumns::contextMenuEvent(QContextMenuEvent* event) { table_.contextMenuEvent(event); }

void PinnedColumns::keyPressEvent(QKeyEvent* event) { table_.keyPressEvent(event); }

}  // namespace dt::gui
