#include "gui/pages/trial_page.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "formats/json.h"
#include "gui/data/diff.h"
#include "gui/data/format.h"
#include "gui/pages/metric_grid.h"
#include "gui/pages/page_frame.h"
#include "gui/session.h"
#include "gui/widgets/chart_grid.h"
#include "gui/widgets/combo_box.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/link_menu.h"
#include "gui/widgets/log_panel.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/state_label.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

enum Tab { charts, log, checkpoints, attempts, environment, provenance };

QLabel* plain_label(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setWordWrap(true);
  label->hide();
  return label;
}

void show_text(QLabel* label, const QString& text) {
  label->setText(text);
  label->setVisible(!text.isEmpty());
}

QString hparams_text(const QString& json) {
  const auto value = parse_json(json.toStdString());
  if (!value.ok()) return one_line(json, 400);
  QStringList words;
  for (const auto& [name, text] : flattened(*value)) {
    bool is_number = false;
    const double number_value = text.toDouble(&is_number);
    words << one_line(name, 60) + QLatin1Char(' ') +
                 (is_number ? number(number_value) : one_line(text, 60));
  }
  return words.join(QStringLiteral("  ·  "));
}

std::int64_t wall_clock() { return QDateTime::currentMSecsSinceEpoch(); }

}  // namespace

TrialPage::TrialPage(Session& session, std::int64_t trial, QWidget* parent)
    : QWidget(parent),
      session_(session),
      detail_(session.master, session.live, trial),
      attempts_model_(wall_clock),
      checkpoints_model_(wall_clock) {
  setWindowTitle(QStringLiteral("Trial %1").arg(trial));
  auto* inside = new QWidget(this);
  content_ = new Content(inside, this);
  auto* inner = new QVBoxLayout(inside);
  inner->setContentsMargins(2 * grid, grid, 2 * grid, 2 * grid);
  inner->setSpacing(grid);
  inner->addWidget(make_header());
  tabs_ = new QTabWidget(inside);
  tabs_->setDocumentMode(true);
  tabs_->setObjectName(QStringLiteral("page_tabs"));
  make_tabs();
  inner->addWidget(tabs_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(content_);
  connect(&detail_, &TrialDetail::changed, this, &TrialPage::show_detail);
  connect(&detail_, &TrialDetail::attempts_changed, metrics_, [this] { metrics_->reload(); });
  connect(&detail_, &TrialDetail::environment_came, this, &TrialPage::take_environment);
  connect(&detail_, &TrialDetail::provenance_came, this, &TrialPage::take_provenance);
  connect(&session.live, &Live::state_changed, this, &TrialPage::show_detail);
  connect(tabs_, &QTabWidget::currentChanged, this, &TrialPage::show_tab);
  metrics_->show_trials({trial});
  show_detail();
}

QWidget* TrialPage::make_header() {
  auto* header = new QWidget(this);
  auto* layout = new QVBoxLayout(header);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(half_grid);
  auto* first = new QHBoxLayout;
  first->setSpacing(grid);
  title_ = new QLabel(windowTitle(), header);
  title_->setFont(title_font());
  state_ = new StateLabel(header);
  experiment_ = new QToolButton(header);
  experiment_->setAutoRaise(true);
  experiment_->setToolTip(QStringLiteral("Open the experiment"));
  progress_ = new QProgressBar(header);
  progress_->setRange(0, 1000);
  progress_->setTextVisible(false);
  progress_->setFixedSize(160, 6);
  auto* more = new QToolButton(header);
  more->setIcon(icon(Icon::more));
  more->setText(QStringLiteral("Actions"));
  more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  more->setAccessibleName(QStringLiteral("Actions on this trial"));
  first->addWidget(title_);
  first->addWidget(state_);
  first->addWidget(experiment_);
  first->addStretch(1);
  first->addWidget(progress_);
  first->addWidget(more);
  layout->addLayout(first);
  hparams_ = plain_label(header);
  words_ = plain_label(header);
  message_ = plain_label(header);
  layout->addWidget(words_);
  layout->addWidget(hparams_);
  layout->addWidget(message_);
  connect(experiment_, &QToolButton::clicked, this, [this] {
    Q_EMIT session_.open_link({Link::Kind::experiment, detail_.state().experiment, {}});
  });
  connect(more, &QToolButton::clicked, this, [this, more] {
    show_link_menu(session_, {Link{Link::Kind::trial, detail_.trial(), {}}},
                   more->mapToGlobal(QPoint(0, more->height())), this);
  });
  return header;
}

void TrialPage::make_tabs() {
  rank_view_ = new QToolButton(this);
  rank_view_->setText(QStringLiteral("Each rank"));
  rank_view_->setCheckable(true);
  rank_view_->setToolTip(
      QStringLiteral("A curve for each rank instead of their mean and extremes"));
  QWidget* stack = parent_in(*tabs_);
  const auto arrange = [this](const std::vector<SeriesRow>& rows) {
    return charts_of_trial(rows, rank_view_->isChecked() ? RankView::each : RankView::band);
  };
  metrics_ = new MetricGrid(session_, arrange, stack);
  metrics_->grid().add_tool(rank_view_);
  connect(rank_view_, &QToolButton::toggled, metrics_, &MetricGrid::arrange_again);
  log_ = new LogPanel(session_, stack);
  checkpoints_ = make_table(checkpoints_model_, QStringLiteral("checkpoints"));
  checkpoints_.view->set_default_sort({{0, Qt::DescendingOrder}});
  attach_links(*checkpoints_.view, session_);
  attempts_ = make_table(attempts_model_, QStringLiteral("attempts"));
  attempts_.view->set_default_sort({{0, Qt::DescendingOrder}});
  facts_ = make_table(facts_model_, QStringLiteral("provenance"));
  tabs_->addTab(metrics_, QStringLiteral("Charts"));
  tabs_->addTab(log_, QStringLiteral("Log"));
  tabs_->addTab(checkpoints_.content, QStringLiteral("Checkpoints"));
  tabs_->addTab(attempts_.content, QStringLiteral("Attempts"));
  tabs_->addTab(make_environment(), QStringLiteral("Environment"));
  tabs_->addTab(facts_.content, QStringLiteral("Provenance"));
}

TrialPage::Table TrialPage::make_table(TableModel& model, const QString& name) {
  Table table;
  QWidget* stack = parent_in(*tabs_);
  table.view = new TableView(model, name, stack);
  table.content = new Content(table.view, stack);
  return table;
}

QWidget* TrialPage::make_environment() {
  auto* page = new QWidget(parent_in(*tabs_));
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(0, grid, 0, grid);
  tools->setSpacing(grid);
  attempt_ = new ComboBox(page);
  attempt_->setAccessibleName(QStringLiteral("Attempt"));
  rank_ = new ComboBox(page);
  rank_->setAccessibleName(QStringLiteral("Rank"));
  tools->addWidget(attempt_);
  tools->addWidget(rank_);
  tools->addStretch(1);
  layout->addLayout(tools);
  variables_ = make_table(variables_model_, QStringLiteral("environment"));
  layout->addWidget(variables_.content, 1);
  connect(attempt_, &QComboBox::activated, this, &TrialPage::ask_environment);
  connect(rank_, &QComboBox::activated, this, &TrialPage::ask_environment);
  return page;
}

void TrialPage::show_detail() {
  if (!detail_.is_loaded()) {
    const QString what = QStringLiteral("trial %1").arg(detail_.trial());
    if (!detail_.problem().ok()) {
      return content_->show_problem(detail_.problem(), what, [this] { detail_.reload(); });
    }
    if (session_.live.state() == Live::State::offline) {
      return content_->show_problem(session_.live.problem(), what);
    }
    return content_->show_loading(QStringLiteral("Loading %1…").arg(what));
  }
  content_->show_content();
  show_header();
  show_tables();
  std::map<std::int64_t, std::int64_t> starts;
  if (!detail_.attempts().empty()) starts[detail_.trial()] = detail_.attempts().front().started_ms;
  metrics_->set_starts(std::move(starts));
  metrics_->set_waiting_words(QStringLiteral("No metrics yet"), waiting_words());
}

QString TrialPage::progress_words() const {
  const TrialState& state = detail_.state();
  QStringList words;
  words << QStringLiteral("step %1").arg(integer(state.latest_step));
  if (state.best) {
    words
        << QStringLiteral("best %1 at step %2").arg(number(*state.best), integer(state.best_step));
  }
  if (state.latest) words << QStringLiteral("latest %1").arg(number(*state.latest));
  words << plural(state.attempts, QStringLiteral("attempt"));
  if (state.restarts > 0) words << plural(state.restarts, QStringLiteral("restart"));
  const std::int64_t end = state.ended_ms > 0 ? state.ended_ms : wall_clock();
  words << duration(std::max<std::int64_t>(0, end - state.created_ms));
  words << QStringLiteral("seed %1").arg(state.seed);
  return words.join(QStringLiteral("  ·  "));
}

QString TrialPage::waiting_words() const {
  const TrialState& state = detail_.state();
  if (!state.waiting_reason.isEmpty()) return one_line(state.waiting_reason, 400);
  if (is_trial_over(state.state)) return QStringLiteral("The trial ended without reporting any.");
  return QStringLiteral("The first point that the trial reports appears here at once.");
}

void TrialPage::show_header() {
  const TrialState& state = detail_.state();
  const QString title = QStringLiteral("Trial %1").arg(state.id);
  title_->setText(title);
  title_->setToolTip(
      QStringLiteral("Number %1 of experiment %2").arg(state.number).arg(state.experiment));
  state_->show_state(state.is_stopped_early ? QStringLiteral("stopped early")
                                            : state_word(state.state));
  experiment_->setText(QStringLiteral("Experiment %1").arg(state.experiment));
  progress_->setValue(static_cast<int>(state.progress * 1000));
  progress_->setToolTip(percent(state.progress));
  progress_->setVisible(!is_trial_over(state.state));
  show_text(words_, progress_words());
  show_text(hparams_, hparams_text(state.hparams_json));
  hparams_->setToolTip(plain(state.hparams_json.left(2000)));
  const QString message = !state.message.isEmpty() ? state.message : state.waiting_reason;
  show_text(message_, plain(message.left(2000)));
  QPalette palette = this->palette();
  if (!state.message.isEmpty()) palette.setColor(QPalette::WindowText, theme().bad);
  message_->setPalette(palette);
}

void TrialPage::show_tables() {
  log_->show_trial(detail_.trial());
  attempts_model_.update(detail_.attempts());
  checkpoints_model_.update(placed(detail_.checkpoints()));
  const auto counted = [](const QString& name, std::size_t count) {
    return count == 0
               ? name
               : QStringLiteral("%1 (%2)").arg(name, integer(static_cast<std::int64_t>(count)));
  };
  tabs_->setTabText(Tab::checkpoints,
                    counted(QStringLiteral("Checkpoints"), detail_.checkpoints().size()));
  tabs_->setTabText(Tab::attempts, counted(QStringLiteral("Attempts"), detail_.attempts().size()));
  if (detail_.checkpoints().empty()) {
    checkpoints_.content->show_empty(QStringLiteral("No checkpoints yet"),
                                     QStringLiteral("One is saved as the configuration says."));
  } else {
    checkpoints_.content->show_content();
  }
  if (detail_.attempts().empty()) {
    attempts_.content->show_empty(QStringLiteral("It has not run yet"), waiting_words());
  } else {
    attempts_.content->show_content();
  }
  const int ranks = detail_.attempts().empty() ? 0 : detail_.attempts().back().ranks;
  rank_view_->setVisible(ranks > 1);
  if (attempt_->count() == static_cast<int>(detail_.attempts().size()) && rank_->count() == ranks)
    return;
  attempt_->clear();
  rank_->clear();
  for (auto row = detail_.attempts().rbegin(); row != detail_.attempts().rend(); ++row) {
    attempt_->addItem(QStringLiteral("Attempt %1").arg(row->attempt), row->attempt);
  }
  for (int rank = 0; rank < ranks; ++rank)
    rank_->addItem(QStringLiteral("Rank %1").arg(rank), rank);
  show_tab(tabs_->currentIndex());
}

void TrialPage::show_tab(int tab) {
  if (tab == Tab::environment) ask_environment();
  if (tab == Tab::provenance) {
    if (facts_model_.rowCount() == 0)
      facts_.content->show_loading(QStringLiteral("Loading provenance…"));
    detail_.ask_provenance();
  }
}

void TrialPage::ask_environment() {
  if (detail_.attempts().empty()) {
    return variables_.content->show_empty(QStringLiteral("It has not run yet"), waiting_words());
  }
  if (variables_model_.rowCount() == 0) {
    variables_.content->show_loading(QStringLiteral("Loading the environment…"));
  }
  detail_.ask_environment(attempt_->currentData().toInt(), rank_->currentData().toInt());
}

void TrialPage::take_environment(const Result<std::vector<VariableRow>>& variables) {
  if (!variables.ok()) {
    return variables_.content->show_problem(variables.status(), QStringLiteral("the environment"),
                                            [this] { ask_environment(); });
  }
  variables_model_.update(placed(*variables));
  if (variables->empty()) {
    return variables_.content->show_empty(QStringLiteral("No environment is known"),
                                          QStringLiteral("This rank has not started."));
  }
  variables_.content->show_content();
}

void TrialPage::take_provenance(const Result<std::vector<FactRow>>& facts) {
  if (!facts.ok()) {
    return facts_.content->show_problem(facts.status(), QStringLiteral("provenance"),
                                        [this] { detail_.ask_provenance(); });
  }
  facts_model_.update(placed(*facts));
  if (facts->empty()) {
    return facts_.content->show_empty(
        QStringLiteral("Nothing is known of its origin"),
        QStringLiteral("The trial was submitted without provenance."));
  }
  facts_.content->show_content();
}

}  // namespace dt::gui
