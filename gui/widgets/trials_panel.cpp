#include "gui/widgets/trials_panel.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "gui/widgets/card.h"
#include "gui/widgets/filter_edit.h"
#include "gui/widgets/heat_delegate.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/spark_delegate.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

constexpr auto measure_after = 300ms;

}  // namespace

TrialsPanel::TrialsPanel(TrialsModel& model, const QString& name, QWidget* parent)
    : QWidget(parent),
      model_(model),
      table_(new TableView(model, name, this)),
      spark_(std::make_unique<SparkDelegate>()) {
  setObjectName(name);
  measure_later_.setSingleShot(true);
  measure_later_.setInterval(measure_after);
  build();
  wire();
  place_delegates();
}

TrialsPanel::~TrialsPanel() = default;

void TrialsPanel::build() {
  filter_ = new FilterEdit(*table_, u"state = running and lr < 0.01"_s, this);
  filter_->setObjectName(u"trials_filter"_s);
  count_ = new FaintLabel({}, this);
  auto* heat = new QPushButton(icon(Icon::columns), u" Heat map"_s, this);
  heat->setObjectName(u"heat_map"_s);
  heat->setToolTip(u"Colour columns by their numbers"_s);
  auto* menu = new QMenu(heat);
  heat->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill_heat_menu(*menu); });
  table_->setObjectName(u"trials_table"_s);
  table_->setAccessibleName(u"Trials"_s);
  table_->set_default_sort({{0, Qt::DescendingOrder}});
  auto* row = new QHBoxLayout;
  row->setSpacing(grid);
  row->addWidget(filter_, 1);
  row->addWidget(count_);
  row->addWidget(heat);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, grid, 0, 0);
  layout->setSpacing(grid);
  layout->addLayout(row);
  layout->addWidget(table_, 1);
}

void TrialsPanel::wire() {
  connect(filter_, &FilterEdit::applied, this, &TrialsPanel::measure_heat);
  connect(table_, &TableView::selection_changed, this,
          [this] { Q_EMIT selection_changed(selected()); });
  connect(table_, &TableView::toggled, this,
          [this] { Q_EMIT shown_toggled(table_->chosen_keys()); });
  connect(&model_, &QAbstractItemModel::modelReset, this,
          &TrialsPanel::place_delegates);
  const auto measure_soon = [this] { measure_later_.start(); };
  connect(&model_, &QAbstractItemModel::dataChanged, this, measure_soon);
  connect(&model_, &QAbstractItemModel::rowsInserted, this, measure_soon);
  connect(&measure_later_, &QTimer::timeout, this, &TrialsPanel::measure_heat);
}

std::vector<std::int64_t> TrialsPanel::selected() const {
  std::vector<std::int64_t> keys;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    keys.push_back(index.data(key_role).toLongLong());
  }
  return keys;
}

void TrialsPanel::repaint_times() { table_->viewport()->update(); }

// --- heat map

int TrialsPanel::column_of(const QString& name) const {
  const auto& columns = model_.columns();
  const auto it = std::find_if(columns.begin(), columns.end(),
                               [&](const Column& column) { return column.name == name; });
  return it == columns.end() ? -1 : static_cast<int>(it - columns.begin());
}

void TrialsPanel::fill_heat_menu(QMenu& menu) {
  menu.clear();
  for (const Column& column : model_.columns()) {
    if (!column.is_number || column.name == u"trial"_s) continue;
    QString title = column.title;
    QAction* action = menu.addAction(title.replace(u'&', u"&&"_s));
    action->setCheckable(true);
    action->setChecked(heat_.contains(column.name));
    connect(action, &QAction::toggled, this,
            [this, name = column.name](bool on) { set_heat(name, on); });
  }
}

void TrialsPanel::set_heat(const QString& column, bool on) {
  const int at = column_of(column);
  if (on) {
    heat_[column] = std::make_unique<HeatDelegate>();
  } else {
    if (at >= 0) table_->setItemDelegateForColumn(at, nullptr);
    heat_.erase(column);
  }
  place_delegates();
  measure_heat();
}

void TrialsPanel::place_delegates() {
  for (int column = 0; column < model_.columnCount(); ++column) {
    const QString& name = model_.columns()[static_cast<std::size_t>(column)].name;
    const auto heat = heat_.find(name);
    QAbstractItemDelegate* delegate = heat == heat_.end() ? nullptr : heat->second.get();
    if (name == u"curve"_s) delegate = spark_.get();
    table_->setItemDelegateForColumn(column, delegate);
  }
}

void TrialsPanel::measure_heat() {
  const SortedRows& rows = table_->sorted();
  count_->set_text(rows.rowCount() < model_.rowCount()
                       ? integer(rows.rowCount()) + u" of "_s + plural(model_.rowCount(), u"trial"_s)
                       : plural(model_.rowCount(), u"trial"_s));
  for (const auto& [name, delegate] : heat_) {
    const int column = column_of(name);
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (int row = 0; column >= 0 && row < rows.rowCount(); ++row) {
      bool is_number = false;
      const double value = rows.index(row, column).data(sort_role).toDouble(&is_number);
      if (!is_number || !std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    delegate->set_range(low, high);
  }
  if (!heat_.empty()) table_->viewport()->update();
}

}  // namespace dt::gui
