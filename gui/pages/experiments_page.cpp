#include "gui/pages/experiments_page.h"

#include <QDateTime>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/data/format.h"
#include "gui/pages/page_frame.h"
#include "gui/session.h"
#include "gui/widgets/filter_edit.h"
#include "gui/widgets/link_menu.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/table_view.h"

namespace dt::gui {

ExperimentsPage::ExperimentsPage(Session& session, QWidget* parent)
    : QWidget(parent),
      session_(session),
      model_(QDateTime::currentMSecsSinceEpoch),
      table_(new TableView(model_, QStringLiteral("experiments"), this)),
      filter_(new FilterEdit(
          *table_, QStringLiteral("Filter: name, or state = active and best > 0.8"), this)),
      count_(new QLabel(this)),
      archived_(new QPushButton(QStringLiteral("Archived"), this)),
      content_(new Content(table_, this)) {
  setWindowTitle(title_of(Place::experiments));
  build();
  listen();
  take_all();
}

void ExperimentsPage::build() {
  const PageFrame frame = build_frame(*this, count_, content_);
  frame.rows->insertWidget(1, filter_);
  auto* launch = new QPushButton(QStringLiteral("Launch experiment"), this);
  launch->setProperty("primary", true);
  launch->setToolTip(QStringLiteral("From a configuration and a folder with code"));
  connect(launch, &QPushButton::clicked, this, &ExperimentsPage::launch);
  archived_->setObjectName(QStringLiteral("show_archived"));
  archived_->setCheckable(true);
  archived_->setToolTip(QStringLiteral("Show archived ones, too"));
  connect(archived_, &QPushButton::toggled, this, &ExperimentsPage::take_all);
  frame.buttons->addWidget(archived_);
  frame.buttons->addWidget(launch);
  filter_->add_keys(*this);
  table_->set_default_sort({{0, Qt::DescendingOrder}});
  table_->show_by_default(QStringLiteral("metric"), false);
  table_->show_by_default(QStringLiteral("archived"), false);
  setFocusProxy(table_);
}

void ExperimentsPage::listen() {
  attach_links(*table_, session_);
  const ExperimentFeed& feed = session_.experiments;
  connect(&feed, &ExperimentFeed::loaded, this, &ExperimentsPage::take_all);
  connect(&feed, &ExperimentFeed::changed, this, &ExperimentsPage::take_changed);
  connect(&session_.live, &Live::state_changed, this, &ExperimentsPage::show_state);
  connect(filter_, &FilterEdit::applied, this, &ExperimentsPage::show_state);
  // Nothing is drawn beside this table, so Space selects: with Ctrl and arrows, several.
  connect(table_, &TableView::toggled, this, [this] {
    table_->selectionModel()->select(table_->currentIndex(),
                                     QItemSelectionModel::Toggle | QItemSelectionModel::Rows);
  });
  connect(table_, &TableView::selection_changed, this, &ExperimentsPage::show_count);
}

// Archived ones are put away until somebody asks for them.
void ExperimentsPage::take_all() {
  std::vector<ExperimentRow> rows = session_.experiments.rows();
  const auto all = rows.size();
  if (!archived_->isChecked()) {
    std::erase_if(rows, [](const ExperimentRow& row) { return row.is_archived; });
  }
  archived_->setVisible(archived_->isChecked() || rows.size() < all);
  model_.update(std::move(rows));
  show_state();
}

void ExperimentsPage::take_changed(const std::vector<ExperimentRow>& rows) {
  for (const ExperimentRow& row : rows) {
    if (row.is_archived) return take_all();  // one of those shown may have to go
  }
  model_.merge(rows);
  show_state();
}

void ExperimentsPage::launch() { Q_EMIT session_.open_place(Place::launch); }

// "12 experiments", "3 of 12 experiments", "2 selected".
void ExperimentsPage::show_count() {
  const int all = model_.rowCount();
  const int shown = table_->sorted().rowCount();
  QString text = all == 0 ? QString() : plural(all, QStringLiteral("experiment"));
  if (shown != all) text = QStringLiteral("%1 of %2").arg(integer(shown), text);
  const auto selected = table_->selectionModel()->selectedRows().size();
  if (selected > 1) text += QStringLiteral(", %1 selected").arg(integer(selected));
  count_->setText(text);
}

void ExperimentsPage::show_state() {
  show_count();
  const ExperimentFeed& feed = session_.experiments;
  const bool is_offline = session_.live.state() == Live::State::offline;
  if (model_.rowCount() > 0 && table_->sorted().rowCount() == 0) {
    return content_->show_empty(QStringLiteral("No experiment fits the filter"),
                                QStringLiteral("%1 without it.")
                                    .arg(plural(model_.rowCount(), QStringLiteral("experiment"))),
                                QStringLiteral("Clear the filter"),
                                [this] { filter_->set_text({}); });
  }
  if (model_.rowCount() > 0) return content_->show_content();
  const QString what = QStringLiteral("experiments");
  if (is_offline) return content_->show_problem(session_.live.problem(), what);
  if (!feed.problem().ok()) {
    return content_->show_problem(feed.problem(), what, [this] { session_.experiments.reload(); });
  }
  if (!feed.is_loaded()) return content_->show_loading(QStringLiteral("Loading experiments…"));
  if (feed.size() > 0) {
    return content_->show_empty(
        QStringLiteral("All experiments are archived"),
        plural(static_cast<std::int64_t>(feed.size()), QStringLiteral("experiment")) +
            QStringLiteral(" have been put away."),
        QStringLiteral("Show them"), [this] { archived_->setChecked(true); });
  }
  content_->show_empty(
      QStringLiteral("No experiments yet"),
      QStringLiteral("Launch one from a configuration and a folder with code, here or by\n"
                     "dtctl experiment create CONFIG FOLDER"),
      QStringLiteral("Launch an experiment"), [this] { launch(); });
}

}  // namespace dt::gui
