#include "gui/pages/experiment_page.h"

#include <QClipboard>
#include <QDateTime>
#include <QGuiApplication>
#include <QTabWidget>
#include <QVBoxLayout>
#include <chrono>

#include "formats/json.h"
#include "gui/data/overview_curves.h"
#include "gui/data/waiting_words.h"
#include "gui/data/yaml_text.h"
#include "gui/pages/experiment_logs.h"
#include "gui/pages/experiment_overview.h"
#include "gui/pages/page_frame.h"
#include "gui/session.h"
#include "gui/widgets/config_view.h"
#include "gui/widgets/experiment_header.h"
#include "gui/widgets/experiment_orders.h"
#include "gui/widgets/link_menu.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/trials_panel.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

Link experiment_link(std::int64_t id) { return {Link::Kind::experiment, id, {}}; }

}  // namespace

ExperimentPage::ExperimentPage(Session& session, std::int64_t id, QWidget* parent)
    : QWidget(parent),
      session_(session),
      id_(id),
      detail_(session.master, session.live, id),
      curves_(session.master, session.live, id),
      trials_(session.run_colors, QDateTime::currentMSecsSinceEpoch) {
  setObjectName(u"experiment_page"_s);
  setWindowTitle(u"Experiment "_s + QString::number(id));
  build();
  wire();
  show_state();
}

ExperimentPage::~ExperimentPage() { delete content_; }  // its views before the models they show

void ExperimentPage::build() {
  auto* shown = new QWidget(this);
  content_ = new Content(shown, this);
  header_ = new ExperimentHeader(shown);
  tabs_ = new QTabWidget(shown);
  tabs_->setObjectName(u"experiment_tabs"_s);
  tabs_->setDocumentMode(true);
  QWidget* stack = parent_in(*tabs_);
  overview_ = new ExperimentOverview(session_, detail_, curves_, trials_, stack);
  panel_ = new TrialsPanel(trials_, u"trials"_s, stack);
  trials_content_ = new Content(panel_, stack);
  config_ = new ConfigView(stack);
  logs_ = new ExperimentLogs(session_, stack);
  tabs_->addTab(overview_, u"Overview"_s);
  tabs_->addTab(trials_content_, u"Trials"_s);
  tabs_->addTab(config_, u"Config"_s);
  tabs_->addTab(logs_, u"Logs"_s);
  auto* inner = new QVBoxLayout(shown);
  inner->setContentsMargins(2 * grid, grid, 2 * grid, 2 * grid);
  inner->setSpacing(grid);
  inner->addWidget(header_);
  inner->addWidget(tabs_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(content_);
}

void ExperimentPage::wire() {
  connect(&detail_, &ExperimentDetail::experiment_changed, this, &ExperimentPage::show_experiment);
  connect(&detail_, &ExperimentDetail::trials_changed, this, &ExperimentPage::take_trials);
  connect(&detail_, &ExperimentDetail::job_changed, this, &ExperimentPage::show_trials_state);
  connect(&curves_, &ExperimentCurves::changed, this, &ExperimentPage::take_curves);
  connect(&session_.live, &Live::state_changed, this, &ExperimentPage::show_state);
  connect(header_, &ExperimentHeader::verb_chosen, this,
          [this](Verb verb) { change_experiments(session_, verb, {id_}, this); });
  connect(header_, &ExperimentHeader::fork_chosen, this,
          [this] { Q_EMIT session_.open_fork(id_); });
  connect(header_, &ExperimentHeader::menu_wanted, this,
          [this](const QPoint& at) { show_link_menu(session_, {experiment_link(id_)}, at, this); });
  connect(header_, &ExperimentHeader::parent_chosen, this,
          [this](std::int64_t parent) { Q_EMIT session_.open_link(experiment_link(parent)); });
  connect(header_, &ExperimentHeader::copy_chosen, this, [this] {
    QGuiApplication::clipboard()->setText(dtctl_command(experiment_link(id_)));
    Q_EMIT session_.tell(u"copied the dtctl command"_s);
  });
  connect(config_, &ConfigView::copied, this,
          [this] { Q_EMIT session_.tell(u"copied the configuration"_s); });
  wire_panel(panel_);
  wire_panel(overview_->panel());
  tick_.setInterval(1s);
  connect(&tick_, &QTimer::timeout, this, [this] {
    if (!isVisible() || !detail_.row() || is_over(detail_.row()->state)) return;
    panel_->repaint_times();
    overview_->panel()->repaint_times();
  });
  tick_.start();
}

void ExperimentPage::wire_panel(TrialsPanel* panel) {
  connect(panel, &TrialsPanel::selection_changed, overview_, &ExperimentOverview::set_selected);
  attach_links(panel->table(), session_);
  connect(panel, &TrialsPanel::shown_toggled, this, &ExperimentPage::toggle_shown);
}

// --- what the master said

void ExperimentPage::show_experiment() {
  show_state();
  if (!detail_.row()) return;
  const ExperimentRow& row = *detail_.row();
  setWindowTitle(one_line(row.name, 24) + u" ("_s + QString::number(row.id) + u')');
  header_->show_experiment(row);
  trials_.set_experiment(row.metric, row.smaller_is_better, names_);
  trials_.set_best(row.best_trial);
  curves_.set_metric(row.metric);
  show_config();
  if (names_ == HparamNames() && !detail_.trials().empty()) take_trials({});
}

void ExperimentPage::show_config() {
  const Value resolved = parse_json(detail_.config_json()).value_or(Value());
  config_->set_texts(QString::fromStdString(detail_.config_yaml()), to_yaml(resolved));
}

void ExperimentPage::show_state() {
  const bool is_away = session_.live.state() == Live::State::offline;
  if (detail_.row()) {
    content_->show_content();
    header_->show_staleness(
        is_away ? u"The master is away: this is what was known before. It reconnects by itself."_s
                : QString());
  } else if (!detail_.problem().ok()) {
    content_->show_problem(detail_.problem(), u"experiment "_s + QString::number(id_),
                           [this] { detail_.reload(); });
  } else if (is_away) {
    content_->show_problem(session_.live.problem(), u"experiment "_s + QString::number(id_));
  } else {
    content_->show_loading(u"Loading experiment "_s + QString::number(id_) + u"…"_s);
  }
  show_trials_state();
}

void ExperimentPage::show_trials_state() {
  if (trials_.rowCount() > 0) return trials_content_->show_content();
  if (!detail_.row()) return;
  if (!detail_.trials_problem().ok()) {
    return trials_content_->show_problem(detail_.trials_problem(), u"trials"_s,
                                         [this] { detail_.reload(); });
  }
  if (!detail_.has_trials()) return trials_content_->show_loading(u"Loading trials…"_s);
  const WaitingWords words = waiting_words(u"trials"_s, *detail_.row(), detail_.job());
  trials_content_->show_empty(words.headline, words.text);
}

TrialRow ExperimentPage::with_spark(TrialRow row) const {
  const auto found = sparks_.find(row.id);
  if (found != sparks_.end()) row.spark = found->second;
  return row;
}

void ExperimentPage::learn_names(const std::vector<TrialRow>& changed) {
  bool is_new = names_ == HparamNames();
  for (const TrialRow& row : changed) {
    for (const auto& [name, value] : row.hparams) is_new |= known_names_.insert(name).second;
  }
  if (!is_new || !detail_.row()) return;
  std::vector<TrialRow> all;
  for (const auto& [id, row] : detail_.trials()) all.push_back(row);
  names_ = hparam_names(detail_.config_json(), all);
  trials_.set_experiment(detail_.row()->metric, detail_.row()->smaller_is_better, names_);
  overview_->show_names(names_);
}

void ExperimentPage::take_trials(const std::vector<TrialRow>& changed) {
  learn_names(changed);
  std::vector<TrialRow> rows;
  for (const TrialRow& row : changed) rows.push_back(with_spark(row));
  trials_.merge(std::move(rows));
  const bool smaller = !detail_.row() || detail_.row()->smaller_is_better;
  const std::vector<std::int64_t> merit = by_merit(detail_.trials(), smaller);
  curves_.set_order(merit);
  logs_->set_trials(detail_.trials(), merit);
  show_trials_state();
}

void ExperimentPage::take_curves(const std::vector<std::int64_t>& trial_ids) {
  std::vector<TrialRow> rows;
  for (const std::int64_t id : trial_ids) {
    const auto points = curves_.by_trial().find(id);
    const auto trial = detail_.trials().find(id);
    if (points == curves_.by_trial().end() || trial == detail_.trials().end()) continue;
    sparks_[id] = std::make_shared<const std::vector<double>>(spark_of(points->second));
    rows.push_back(with_spark(trial->second));
  }
  trials_.merge(std::move(rows));
}

void ExperimentPage::toggle_shown(const std::vector<std::int64_t>& trial_ids) {
  for (const std::int64_t id : trial_ids) {
    if (!hidden_.insert(id).second) hidden_.erase(id);
  }
  trials_.set_hidden({hidden_.begin(), hidden_.end()});
  overview_->set_hidden(hidden_);
}

}  // namespace dt::gui
