#include "gui/pages/experiment_overview.h"

#include <QEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "gui/data/overview_curves.h"
#include "gui/data/problem_words.h"
#include "gui/data/search_words.h"
#include "gui/data/waiting_words.h"
#include "gui/session.h"
#include "gui/widgets/best_card.h"
#include "gui/widgets/card.h"
#include "gui/widgets/rungs_view.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/trials_panel.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int side_width = 360;
constexpr int chart_height = 240;

}  // namespace

ExperimentOverview::ExperimentOverview(Session& session, ExperimentDetail& detail,
                                       ExperimentCurves& curves, TrialsModel& trials,
                                       QWidget* parent)
    : QWidget(parent), session_(session), detail_(detail), curves_(curves) {
  build(trials);
  connect(&curves_, &ExperimentCurves::changed, this, &ExperimentOverview::show_curves);
  connect(&detail_, &ExperimentDetail::trials_changed, this, [this] {
    show_best();
    show_notice();
  });
  connect(&detail_, &ExperimentDetail::experiment_changed, this, [this] {
    show_best();
    show_search();
    show_notice();
  });
  connect(&detail_, &ExperimentDetail::search_changed, this, &ExperimentOverview::show_search);
  connect(&detail_, &ExperimentDetail::job_changed, this, &ExperimentOverview::show_notice);
  connect(best_, &BestCard::opened, this, [this](std::int64_t trial) {
    Q_EMIT session_.open_link({Link::Kind::trial, trial, {}});
  });
  connect(chart_, &Chart::curve_opened, &session_, &Session::open_link);
  connect(chart_, &Chart::saved, &session_, &Session::tell_saved);
  connect(chart_, &Chart::logs_wanted, &session_, [this](const Link& link, qint64 time_ms) {
    Q_EMIT session_.open_logs(link.id, time_ms);
  });
  connect(chart_, &Chart::range_chosen, &curves_, &ExperimentCurves::show_range);
}

void ExperimentOverview::build(TrialsModel& trials) {
  chart_card_ = new Card({}, this);
  chart_ = new Chart(this);
  chart_->setObjectName(u"learning_curves"_s);
  chart_->setMinimumHeight(chart_height);
  chart_->set_x_title(u"step"_s);
  chart_card_->body()->addWidget(chart_, 1);
  rungs_card_ = new Card(u"Rungs"_s, this);
  rungs_ = new RungsView(this);
  search_words_ = new FaintLabel({}, this);
  search_words_->setObjectName(u"search_words"_s);
  rungs_card_->body()->addWidget(rungs_);
  rungs_card_->body()->addWidget(search_words_);
  best_ = new BestCard(this);
  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(grid);
  column->addWidget(rungs_card_);
  column->addWidget(best_, 1);
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(side);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setMinimumWidth(side_width);
  auto* upper = new QSplitter(Qt::Horizontal, this);
  upper->setChildrenCollapsible(false);
  upper->setHandleWidth(grid);
  upper->setProperty("gap", true);
  upper->addWidget(chart_card_);
  upper->addWidget(scroll);
  upper->setStretchFactor(0, 1);
  panel_ = new TrialsPanel(trials, u"overview_trials"_s, this);
  auto* splitter = new QSplitter(Qt::Vertical, this);
  splitter->setChildrenCollapsible(false);
  splitter->setHandleWidth(grid);
  splitter->setProperty("gap", true);
  splitter->addWidget(upper);
  splitter->addWidget(panel_);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, grid, 0, 0);
  layout->addWidget(splitter);
}

void ExperimentOverview::set_selected(std::vector<std::int64_t> trial_ids) {
  selected_ = std::move(trial_ids);
  show_curves();
}

void ExperimentOverview::set_hidden(const std::set<std::int64_t>& trial_ids) {
  hidden_ = trial_ids;
  show_curves();
}

void ExperimentOverview::show_names(const HparamNames& names) {
  names_ = names;
  show_best();
}

void ExperimentOverview::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && chart_ != nullptr) show_curves();
}

void ExperimentOverview::show_curves() {
  if (!detail_.row()) return;
  const bool smaller = detail_.row()->smaller_is_better;
  const auto merit = by_merit(detail_.trials(), smaller);
  chart_->set_curves(overview_curves(curves_.by_trial(), merit,
                                     {.smaller_is_better = smaller,
                                      .is_dark = theme().is_dark,
                                      .selected = selected_,
                                      .hidden = hidden_},
                                     session_.run_colors));
  const auto shown = static_cast<std::int64_t>(curves_.by_trial().size());
  const auto all = static_cast<std::int64_t>(detail_.trials().size());
  QString word = plural(shown, u"trial"_s);
  if (shown < all) word += u" of "_s + integer(all);
  chart_card_->set_word(word);
  show_notice();
}

void ExperimentOverview::show_search() {
  if (!detail_.row()) return;
  chart_card_->set_title(one_line(detail_.row()->metric, 60));
  const auto& search = detail_.search();
  rungs_->setVisible(search && search->rungs_size() > 0);
  if (!search) {
    const bool is_old = detail_.search_problem().code() == Code::unimplemented;
    search_words_->set_text(is_old ? u"This master does not tell how far a search is."_s
                                   : QString());
    return;
  }
  rungs_->set_picture(picture_of(*search));
  rungs_card_->set_word(one_line(QString::fromStdString(search->searcher()), 30));
  search_words_->set_text(search_words(*search, detail_.row()->trials));
}

void ExperimentOverview::show_best() {
  if (!detail_.row()) return;
  const auto found = detail_.trials().find(detail_.row()->best_trial);
  const TrialRow* best = found == detail_.trials().end() ? nullptr : &found->second;
  best_->show_trial(best, detail_.row()->metric, names_);
}

void ExperimentOverview::show_notice() {
  if (!detail_.row()) return;
  if (!curves_.problem().ok() && curves_.by_trial().empty()) {
    return chart_->set_notice(problem_line(curves_.problem()));
  }
  const WaitingWords words = waiting_words(u"points"_s, *detail_.row(), detail_.job());
  chart_->set_notice(words.headline + u'\n' + words.text);
}

}  // namespace dt::gui
