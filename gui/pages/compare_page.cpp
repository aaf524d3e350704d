#include "gui/pages/compare_page.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>
#include <QVBoxLayout>

#include "gui/data/format.h"
#include "gui/pages/metric_grid.h"
#include "gui/pages/page_frame.h"
#include "gui/session.h"
#include "gui/widgets/combo_box.h"
#include "gui/widgets/link_menu.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"

namespace dt::gui {

ComparePage::ComparePage(Session& session, std::vector<Link> links, QWidget* parent)
    : QWidget(parent), session_(session), runs_(session.master, session.live, std::move(links)) {
  setWindowTitle(QStringLiteral("Compare"));
  auto* inside = new QWidget(this);
  content_ = new Content(inside, this);
  auto* inner = new QVBoxLayout(inside);
  inner->setContentsMargins(2 * grid, grid, 2 * grid, 2 * grid);
  inner->setSpacing(grid);
  setObjectName(QStringLiteral("compare_page"));
  inner->addWidget(make_header());
  tabs_ = new QTabWidget(inside);
  tabs_->setDocumentMode(true);
  tabs_->setObjectName(QStringLiteral("page_tabs"));
  inner->addWidget(tabs_, 1);
  make_tabs();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(content_);
  connect(&runs_, &ComparedRuns::changed, this, &ComparePage::show_runs);
  connect(&session.live, &Live::state_changed, this, &ComparePage::show_runs);
  connect(metrics_, &MetricGrid::series_changed, this, &ComparePage::show_summary);
  show_runs();
}

void ComparePage::make_tabs() {
  QWidget* stack = parent_in(*tabs_);
  const auto arrange = [this](const std::vector<SeriesRow>& rows) {
    std::vector<ComparedName> compared;
    for (const ComparedRun& run : runs_.runs()) {
      if (run.trial != 0) compared.push_back({run.trial, name_of(run)});
    }
    return charts_of_runs(rows, compared);
  };
  metrics_ = new MetricGrid(session_, arrange, stack);
  auto* summary = new TableView(summary_model_, QStringLiteral("comparison"), stack);
  attach_links(*summary, session_);
  summary_ = new Content(summary, stack);
  tabs_->addTab(metrics_, QStringLiteral("Charts"));
  tabs_->addTab(make_diff(config_model_, QStringLiteral("config_diff"), all_config_, config_),
                QStringLiteral("Configuration"));
  tabs_->addTab(summary_, QStringLiteral("Metrics"));
  tabs_->addTab(
      make_diff(provenance_model_, QStringLiteral("provenance_diff"), all_provenance_, provenance_),
      QStringLiteral("Provenance"));
}

QWidget* ComparePage::make_header() {
  auto* header = new QWidget(this);
  auto* layout = new QVBoxLayout(header);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* first = new QHBoxLayout;
  first->setSpacing(grid);
  auto* title = new QLabel(QStringLiteral("Compare"), header);
  title->setFont(title_font());
  base_ = new ComboBox(header);
  base_->setAccessibleName(QStringLiteral("Base run"));
  base_->setToolTip(QStringLiteral("The run that the others are compared with"));
  first->addWidget(title);
  first->addStretch(1);
  first->addWidget(new QLabel(QStringLiteral("Base"), header));
  first->addWidget(base_);
  words_ = new QLabel(header);
  words_->setTextFormat(Qt::PlainText);
  words_->setWordWrap(true);
  layout->addLayout(first);
  layout->addWidget(words_);
  connect(base_, &QComboBox::activated, this, [this] {
    show_diffs();
    show_summary();
  });
  return header;
}

QWidget* ComparePage::make_diff(DiffModel& model, const QString& name, QCheckBox*& all,
                                Content*& content) {
  auto* page = new QWidget(parent_in(*tabs_));
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(0, grid, 0, grid);
  all = new QCheckBox(QStringLiteral("Show equal keys too"), page);
  tools->addWidget(all);
  tools->addStretch(1);
  layout->addLayout(tools);
  content = new Content(new TableView(model, name), page);
  layout->addWidget(content, 1);
  connect(all, &QCheckBox::toggled, this, &ComparePage::show_diffs);
  return page;
}

std::vector<QString> ComparePage::names() const {
  std::vector<QString> names;
  for (const ComparedRun& run : runs_.runs()) names.push_back(name_of(run));
  return names;
}

std::size_t ComparePage::base() const {
  const auto chosen = static_cast<std::size_t>(std::max(0, base_->currentIndex()));
  return chosen < runs_.runs().size() ? chosen : 0;
}

void ComparePage::show_runs() {
  if (!runs_.is_loaded()) {
    const QString what = QStringLiteral("the comparison");
    if (!runs_.problem().ok()) {
      return content_->show_problem(runs_.problem(), what, [this] { runs_.reload(); });
    }
    if (session_.live.state() == Live::State::offline) {
      return content_->show_problem(session_.live.problem(), what);
    }
    return content_->show_loading(QStringLiteral("Loading %1…").arg(what));
  }
  content_->show_content();
  std::vector<std::int64_t> trials;
  std::map<std::int64_t, std::int64_t> starts;
  QStringList words;
  for (const ComparedRun& run : runs_.runs()) {
    QString word = name_of(run);
    if (run.link.kind == Link::Kind::experiment) {
      word +=
          run.trial == 0 ? QStringLiteral(" (no best trial yet)") : QStringLiteral(" (its best)");
    }
    if (!run.experiment_name.isEmpty())
      word += QStringLiteral(" of ") + one_line(run.experiment_name, 40);
    if (!run.problem.ok())
      word += QStringLiteral(": ") + QString::fromStdString(run.problem.text());
    words << word;
    if (run.trial == 0 || !run.problem.ok()) continue;
    trials.push_back(run.trial);
    starts[run.trial] = run.created_ms;
  }
  words_->setText(words.join(QStringLiteral("  ·  ")));
  setWindowTitle(
      QStringLiteral("Compare %1")
          .arg(plural(static_cast<std::int64_t>(runs_.runs().size()), QStringLiteral("run"))));
  show_base_choice();
  metrics_->set_starts(std::move(starts));
  metrics_->show_trials(std::move(trials));
  metrics_->arrange_again();
  show_diffs();
  show_summary();
}

void ComparePage::show_base_choice() {
  const int chosen = base_->currentIndex();
  base_->clear();
  for (const QString& name : names()) base_->addItem(name);
  base_->setCurrentIndex(std::clamp(chosen, 0, std::max(0, base_->count() - 1)));
}

void ComparePage::show_diffs() {
  std::vector<KeyedTexts> configs;
  std::vector<KeyedTexts> provenances;
  Status problem;
  for (const ComparedRun& run : runs_.runs()) {
    configs.push_back(run.config);
    provenances.push_back(run.provenance);
    if (problem.ok()) problem = run.provenance_problem;
  }
  show_diff(config_model_, *config_, *all_config_, configs, QStringLiteral("configuration"));
  show_diff(provenance_model_, *provenance_, *all_provenance_, provenances,
            QStringLiteral("provenance"));
  if (!problem.ok()) provenance_->show_problem(problem, QStringLiteral("provenance"));
}

void ComparePage::show_diff(DiffModel& model, Content& content, const QCheckBox& all,
                            const std::vector<KeyedTexts>& things, const QString& what) {
  model.show(names(), things, base(), all.isChecked());
  if (model.rowCount() > 0) return content.show_content();
  content.show_empty(QStringLiteral("No difference"),
                     QStringLiteral("All runs have the same %1.").arg(what));
}

void ComparePage::show_summary() {
  auto rows = summary_of(metrics_->series().rows(), runs_.runs(), base());
  for (SummaryRow& row : rows) {
    row.color =
        session_.run_colors.style({Link::Kind::trial, row.trial, {}}, theme().is_dark).color;
  }
  summary_model_.update(std::move(rows));
  if (summary_model_.rowCount() > 0) return summary_->show_content();
  if (!metrics_->series().problem().ok()) {
    return summary_->show_problem(metrics_->series().problem(), QStringLiteral("metrics"));
  }
  if (!metrics_->series().is_loaded())
    return summary_->show_loading(QStringLiteral("Loading metrics…"));
  summary_->show_empty(QStringLiteral("No metrics yet"),
                       QStringLiteral("None of the runs has reported a value."));
}

std::vector<Link> links_in(const QString& text) {
  static const QRegularExpression word(
      QStringLiteral("(trial|experiment|exp|t|e)?\\s*#?(\\d{1,18})"),
      QRegularExpression::CaseInsensitiveOption);
  std::vector<Link> links;
  auto matches = word.globalMatch(text);
  while (matches.hasNext()) {
    const auto match = matches.next();
    const bool is_experiment = match.captured(1).startsWith(QLatin1Char('e'), Qt::CaseInsensitive);
    links.push_back({is_experiment ? Link::Kind::experiment : Link::Kind::trial,
                     match.captured(2).toLongLong(), QString()});
  }
  return links;
}

ComparePlace::ComparePlace(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
  setWindowTitle(QStringLiteral("Compare"));
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(grid);
  auto* title = new QLabel(QStringLiteral("Compare runs"), this);
  title->setFont(title_font());
  auto* words =
      new QLabel(QStringLiteral("Select two or more rows in a table and press C, or name them "
                                "here. An experiment stands for its best trial."),
                 this);
  words->setWordWrap(true);
  words->setAlignment(Qt::AlignCenter);
  names_ = new QLineEdit(this);
  names_->setPlaceholderText(QStringLiteral("trial 9, trial 10, experiment 7"));
  names_->setAccessibleName(QStringLiteral("Runs to compare"));
  names_->setFixedWidth(360);
  auto* button = new QPushButton(QStringLiteral("Compare"), this);
  problem_ = new QLabel(this);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(names_);
  row->addWidget(button);
  row->addStretch(1);
  layout->addStretch(2);
  layout->addWidget(title, 0, Qt::AlignHCenter);
  layout->addWidget(words);
  layout->addLayout(row);
  layout->addWidget(problem_, 0, Qt::AlignHCenter);
  layout->addStretch(3);
  connect(button, &QPushButton::clicked, this, &ComparePlace::compare);
  connect(names_, &QLineEdit::returnPressed, this, &ComparePlace::compare);
}

void ComparePlace::compare() {
  const auto links = links_in(names_->text());
  problem_->setText(links.size() < 2
                        ? QStringLiteral("Name two runs at least, as in “trial 9, trial 10”.")
                        : QString());
  if (links.size() >= 2) Q_EMIT session_.open_comparison(links);
}

}  // namespace dt::gui
