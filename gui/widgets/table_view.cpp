#include "gui/widgets/table_view.h"

#include <QContextMenuEvent>
#include <QJsonArray>
#include <QJsonObject>
#include <QKeyEvent>
#include <QMenu>
#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "gui/data/settings.h"
#include "gui/widgets/cell_delegate.h"
#include "gui/widgets/pinned_columns.h"
#include "gui/widgets/table_header.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr std::chrono::seconds ages_every{10};
constexpr int narrowest_stretch = 160;

int width_of(const Column& column, const QFontMetrics& metrics) {
  return metrics.averageCharWidth() * column.width + 2 * grid;
}

}  // namespace

TableView::TableView(TableModel& rows, const QString& name, QWidget* parent)
    : QTableView(parent),
      rows_(rows),
      name_(QStringLiteral("table/") + name),
      sorted_(rows, this),
      header_(new TableHeader(this)),
      delegate_(new CellDelegate(this)) {
  setObjectName(name);
  setModel(&sorted_);
  setHorizontalHeader(header_);
  setItemDelegate(delegate_);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setShowGrid(false);
  setWordWrap(false);
  setCornerButtonEnabled(false);
  setHorizontalScrollMode(ScrollPerPixel);
  setVerticalScrollMode(ScrollPerPixel);
  setTabKeyNavigation(false);
  setMouseTracking(true);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(row_height);
  verticalHeader()->setDefaultSectionSize(row_height);
  header_->setContextMenuPolicy(Qt::CustomContextMenu);
  pinned_ = new PinnedColumns(*this);
  apply_columns();
  restore_layout();
  refresh_ages_.setInterval(ages_every);
  listen();
}

void TableView::listen() {
  connect(&refresh_ages_, &QTimer::timeout, viewport(), qOverload<>(&QWidget::update));
  refresh_ages_.start();
  connect(header_, &TableHeader::sort_wanted, this, &TableView::sort_by);
  connect(header_, &QWidget::customContextMenuRequested, this, &TableView::show_header_menu);
  connect(header_, &QHeaderView::sectionMoved, this, [this] {
    if (!is_placing_) save_layout();
  });
  connect(header_, &QHeaderView::sectionResized, this, [this](int column) {
    if (is_placing_) return;
    is_sized_[static_cast<std::size_t>(column)] = true;
    save_layout();
  });
  connect(&rows_, &QAbstractItemModel::modelReset, this, &TableView::apply_columns);
  connect(&rows_, &QAbstractItemModel::modelReset, this, &TableView::restore_layout);
  connect(this, &QAbstractItemView::doubleClicked, this, &TableView::open);
  connect(selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &TableView::selection_changed);
}

void TableView::set_default_sort(std::vector<SortKey> keys) {
  if (!Settings::get().value(name_).isUndefined()) return;
  sorted_.set_sort(keys);
  header_->show_sort(std::move(keys));
}

void TableView::show_by_default(const QString& column, bool on) {
  if (Settings::get().value(name_).isUndefined()) show_column(column, on);
}

void TableView::sort_by(const std::vector<SortKey>& keys) {
  sorted_.set_sort(keys);
  header_->show_sort(keys);
  save_layout();
}

std::vector<Link> TableView::chosen_links() const {
  std::vector<Link> links;
  for (const QModelIndex& row : chosen_rows()) {
    const auto link = row.data(link_role).value<Link>();
    if (link.kind != Link::Kind::none) links.push_back(link);
  }
  return links;
}

std::vector<std::int64_t> TableView::chosen_keys() const {
  std::vector<std::int64_t> keys;
  for (const QModelIndex& row : chosen_rows()) keys.push_back(row.data(key_role).toLongLong());
  return keys;
}

QModelIndexList TableView::chosen_rows() const {
  QModelIndexList rows = selectionModel()->selectedRows();
  if (rows.isEmpty() && currentIndex().isValid()) rows.push_back(currentIndex());
  std::sort(rows.begin(), rows.end(),
            [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
  return rows;
}

void TableView::select_keys(const std::vector<std::int64_t>& keys) {
  const std::set<std::int64_t> wanted(keys.begin(), keys.end());
  QItemSelection selection;
  for (int row = 0; row < sorted_.rowCount(); ++row) {
    const QModelIndex first = sorted_.index(row, 0);
    if (!wanted.contains(first.data(key_role).toLongLong())) continue;
    selection.select(first, sorted_.index(row, sorted_.columnCount() - 1));
  }
  selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
}

void TableView::open(const QModelIndex& index) {
  const auto link = index.data(link_role).value<Link>();
  if (link.kind != Link::Kind::none) Q_EMIT opened(link);
}

void TableView::keyPressEvent(QKeyEvent* event) {
  const bool is_bare = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
  if (is_bare && event->key() == Qt::Key_Space) return Q_EMIT toggled();
  if (is_bare && event->key() == Qt::Key_C) return Q_EMIT compare_wanted();
  if (is_bare && event->key() == Qt::Key_F) return Q_EMIT fork_wanted();
  if (is_bare && event->key() == Qt::Key_Period) return Q_EMIT palette_wanted();
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    return open(currentIndex());
  }
  if (event->key() == Qt::Key_Escape) return clearSelection();
  QTableView::keyPressEvent(event);
}

// A right click on what is not selected selects it first.
void TableView::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() == QContextMenuEvent::Mouse) {
    const QModelIndex index = indexAt(event->pos());
    if (!index.isValid()) return;
    if (!selectionModel()->isRowSelected(index.row(), {})) {
      selectionModel()->setCurrentIndex(
          index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
  }
  if (!chosen_rows().isEmpty()) Q_EMIT menu_wanted(event->globalPos());
}

bool TableView::viewportEvent(QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseMove:
    case QEvent::Enter:
      sorted_.hold(true);
      hover(indexAt(static_cast<QSinglePointEvent*>(event)->position().toPoint()).row());
      break;
    case QEvent::Leave:
      sorted_.hold(false);
      hover(-1);
      break;
    default: break;
  }
  return QTableView::viewportEvent(event);
}

void TableView::hover(int row) {
  if (delegate_->hovered_row() == row) return;
  delegate_->set_hovered_row(row);
  viewport()->update();
  pinned_->repaint_rows();
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  stretch_columns();
  pinned_->place();
}

void TableView::apply_columns() {
  const auto& columns = rows_.columns();
  is_sized_.assign(columns.size(), false);
  is_placing_ = true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].width > 0) {
      header_->resizeSection(static_cast<int>(i), width_of(columns[i], fontMetrics()));
    }
  }
  is_placing_ = false;
  stretch_columns();
}

// Columns without a width share what the others leave.
void TableView::stretch_columns() {
  const auto& columns = rows_.columns();
  std::vector<int> stretching;
  int rest = viewport()->width();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int column = static_cast<int>(i);
    if (header_->isSectionHidden(column)) continue;
    if (columns[i].width == 0 && !is_sized_[i]) {
      stretching.push_back(column);
    } else {
      rest -= header_->sectionSize(column);
    }
  }
  if (stretching.empty()) return;
  is_placing_ = true;
  const int width = std::max(narrowest_stretch, rest / static_cast<int>(stretching.size()));
  for (const int column : stretching) header_->resizeSection(column, width);
  is_placing_ = false;
}

void TableView::show_column(const QString& name, bool on) {
  const auto& columns = rows_.columns();
  is_placing_ = true;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) header_->setSectionHidden(static_cast<int>(i), !on);
  }
  is_placing_ = false;
  stretch_columns();
}

void TableView::show_header_menu(const QPoint& at) {
  QMenu menu(this);
  const int column = header_->logicalIndexAt(at);
  if (column >= 0) add_pin_action(menu, column);
  menu.addSection(QStringLiteral("Columns"));
  for (const Column& shown : rows_.columns()) {
    QAction* action = menu.addAction(shown.title);
    action->setCheckable(true);
    const int index = static_cast<int>(&shown - rows_.columns().data());
    action->setChecked(!header_->isSectionHidden(index));
    connect(action, &QAction::toggled, this, [this, name = shown.name](bool on) {
      show_column(name, on);
      save_layout();
    });
  }
  menu.exec(header_->mapToGlobal(at));
}

void TableView::add_pin_action(QMenu& menu, int column) {
  const QString name = rows_.columns()[static_cast<std::size_t>(column)].name;
  const bool is_pinned = pinned_->names().contains(name);
  menu.addAction(is_pinned ? QStringLiteral("Unpin this column")
                           : QStringLiteral("Pin this column to the left"),
                 this, [this, name, is_pinned] {
                   pinned_->pin(name, !is_pinned);
                   save_layout();
                 });
}

void TableView::save_layout() {
  const auto& columns = rows_.columns();
  QJsonArray order, hidden, sort;
  QJsonObject widths;
  for (int visual = 0; visual < header_->count(); ++visual) {
    const int column = header_->logicalIndex(visual);
    const QString& name = columns[static_cast<std::size_t>(column)].name;
    order.append(name);
    if (header_->isSectionHidden(column)) hidden.append(name);
    if (is_sized_[static_cast<std::size_t>(column)] && !header_->isSectionHidden(column)) {
      widths[name] = header_->sectionSize(column);
    }
  }
  for (const SortKey& key : sorted_.sort_keys()) {
    const QString& name = columns[static_cast<std::size_t>(key.column)].name;
    sort.append((key.order == Qt::AscendingOrder ? QStringLiteral("+") : QStringLiteral("-")) +
                name);
  }
  Settings::get().set(name_, QJsonObject{{"order", order},
                                         {"hidden", hidden},
                                         {"widths", widths},
                                         {"sort", sort},
                                         {"pinned", QJsonArray::fromStringList(pinned_->names())}});
}

void TableView::restore_layout() {
  const QJsonObject layout = Settings::get().value(name_).toObject();
  if (layout.isEmpty()) return;
  is_placing_ = true;
  const auto& columns = rows_.columns();
  const auto find = [&](const QString& name) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == name) return static_cast<int>(i);
    }
    return -1;
  };
  int visual = 0;
  for (const QJsonValue& name : layout["order"].toArray()) {
    const int column = find(name.toString());
    if (column >= 0) header_->moveSection(header_->visualIndex(column), visual++);
  }
  for (const QJsonValue& name : layout["hidden"].toArray()) {
    if (const int column = find(name.toString()); column >= 0) header_->hideSection(column);
  }
  const QJsonObject widths = layout["widths"].toObject();
  for (const QString& name : widths.keys()) {
    const int column = find(name);
    if (column < 0) continue;
    header_->resizeSection(column, widths[name].toInt());
    is_sized_[static_cast<std::size_t>(column)] = true;
  }
  std::vector<SortKey> keys;
  for (const QJsonValue& key : layout["sort"].toArray()) {
    const int column = find(key.toString().mid(1));
    const bool is_up = key.toString().startsWith(QLatin1Char('+'));
    if (column >= 0) keys.push_back({column, is_up ? Qt::AscendingOrder : Qt::DescendingOrder});
  }
  for (const QJsonValue& name : layout["pinned"].toArray()) pinned_->pin(name.toString(), true);
  is_placing_ = false;
  sorted_.set_sort(keys);
  header_->show_sort(std::move(keys));
  stretch_columns();
}

}  // namespace dt::gui
