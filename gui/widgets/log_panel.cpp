#include "gui/widgets/log_panel.h"

#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include "dovetail/v1/logs.grpc.pb.h"
#include "gui/data/format.h"
#include "gui/session.h"
#include "gui/widgets/combo_box.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/log_view.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr std::int64_t usual_tail = 50'000;
constexpr int quiet_ms = 1'500;
constexpr int ask_after_ms = 500;  // of rest while somebody types a filter

// RE2 takes a backslash before ASCII marks only.
QString re2_quoted(const QString& text) {
  QString quoted;
  for (const QChar c : text) {
    const bool is_mark = c.unicode() < 0x80 && !c.isLetterOrNumber() && c != QLatin1Char('_');
    if (is_mark) quoted += QLatin1Char('\\');
    quoted += c;
  }
  return quoted;
}

QToolButton* tool(QWidget* parent, const QString& text, const QString& tip) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  return button;
}

}  // namespace

LogPanel::LogPanel(Session& session, QWidget* parent)
    : QWidget(parent), session_(session), feed_(session.master, session.live) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* tools = new QHBoxLayout;
  tools->setContentsMargins(0, grid, 0, grid);
  tools->setSpacing(half_grid);
  make_tools(*tools);
  layout->addLayout(tools);
  view_ = new LogView(model_, this);
  view_->setObjectName(QStringLiteral("log"));
  content_ = new Content(view_, this);
  make_find_bar();
  layout->addWidget(find_bar_);
  layout->addWidget(content_, 1);
  ask_later_.setSingleShot(true);
  ask_later_.setInterval(ask_after_ms);
  quiet_.setSingleShot(true);
  quiet_.setInterval(quiet_ms);
  listen();
  show_ranks();
}

void LogPanel::make_tools(QLayout& row) {
  filter_ = new QLineEdit(this);
  filter_->setObjectName(QStringLiteral("log_filter"));
  filter_->setPlaceholderText(QStringLiteral("Filter lines"));
  filter_->setClearButtonEnabled(true);
  filter_->setAccessibleName(QStringLiteral("Filter lines"));
  is_regex_ =
      tool(this, QStringLiteral(".*"), QStringLiteral("The filter is a regular expression"));
  is_regex_->setCheckable(true);
  rank_ = new ComboBox(this);
  rank_->setAccessibleName(QStringLiteral("Rank"));
  state_ = new QLabel(this);
  state_->setTextFormat(Qt::PlainText);
  load_all_ =
      tool(this, QStringLiteral("Load all"), QStringLiteral("Load the log from its beginning"));
  auto* search = tool(this, QString(), QStringLiteral("Find (Ctrl+F)"));
  search->setIcon(icon(Icon::search));
  connect(search, &QToolButton::clicked, this, &LogPanel::start_find);
  auto* save = tool(this, QString(), QStringLiteral("Save the whole log to a file"));
  save->setIcon(icon(Icon::save));
  connect(save, &QToolButton::clicked, this, &LogPanel::choose_file);
  follow_ =
      tool(this, QStringLiteral("Follow"), QStringLiteral("Show new lines as they come (End)"));
  follow_->setCheckable(true);
  follow_->setChecked(true);
  for (QWidget* widget : std::initializer_list<QWidget*>{filter_, is_regex_, rank_, state_,
                                                         load_all_, search, save, follow_}) {
    row.addWidget(widget);
  }
}

void LogPanel::make_find_bar() {
  find_bar_ = new QWidget(this);
  auto* layout = new QHBoxLayout(find_bar_);
  layout->setContentsMargins(0, 0, 0, grid);
  find_ = new QLineEdit(find_bar_);
  find_->setPlaceholderText(QStringLiteral("Find"));
  find_->setAccessibleName(QStringLiteral("Find"));
  auto* previous =
      tool(find_bar_, QStringLiteral("Previous"), QStringLiteral("Previous (Shift+F3)"));
  auto* next = tool(find_bar_, QStringLiteral("Next"), QStringLiteral("Next (F3)"));
  auto* close = tool(find_bar_, QString(), QStringLiteral("Close (Esc)"));
  close->setIcon(icon(Icon::close));
  found_ = new QLabel(find_bar_);
  layout->addWidget(find_, 1);
  layout->addWidget(previous);
  layout->addWidget(next);
  layout->addWidget(found_);
  layout->addWidget(close);
  connect(previous, &QToolButton::clicked, this, [this] { find(false); });
  connect(next, &QToolButton::clicked, this, [this] { find(true); });
  connect(close, &QToolButton::clicked, find_bar_, &QWidget::hide);
  connect(find_, &QLineEdit::returnPressed, this, [this] { find(true); });
  connect(find_, &QLineEdit::textChanged, this, [this](const QString& text) {
    found_->clear();
    view_->set_marks(*LogFilter::create(text, false, std::nullopt));
  });
  find_bar_->hide();
}

void LogPanel::listen() {
  const auto shortcut = [this](const QKeySequence& keys, QWidget* owner, auto then) {
    connect(new QShortcut(keys, owner, nullptr, nullptr, Qt::WidgetWithChildrenShortcut),
            &QShortcut::activated, this, then);
  };
  shortcut(QKeySequence::Find, this, [this] { start_find(); });
  shortcut(QKeySequence(Qt::Key_F3), this, [this] { find(true); });
  shortcut(QKeySequence(Qt::SHIFT | Qt::Key_F3), this, [this] { find(false); });
  shortcut(QKeySequence(Qt::Key_Escape), find_bar_, [this] { find_bar_->hide(); });
  connect(filter_, &QLineEdit::textChanged, this, &LogPanel::filter_changed);
  connect(is_regex_, &QToolButton::toggled, this, &LogPanel::filter_changed);
  connect(rank_, &QComboBox::currentIndexChanged, this, &LogPanel::filter_changed);
  connect(follow_, &QToolButton::toggled, view_, &LogView::set_following);
  connect(load_all_, &QToolButton::clicked, this, &LogPanel::load_all);
  connect(view_, &LogView::following_changed, follow_, &QToolButton::setChecked);
  connect(view_, &LogView::menu_wanted, this, &LogPanel::show_menu);
  connect(&ask_later_, &QTimer::timeout, this, &LogPanel::ask_master);
  connect(&quiet_, &QTimer::timeout, this, &LogPanel::show_state);
  connect(&feed_, &LogFeed::began, &model_, &LogModel::clear);
  connect(&feed_, &LogFeed::arrived, &model_, &LogModel::append);
  connect(&feed_, &LogFeed::state_changed, this, &LogPanel::show_state);
  connect(&feed_, &LogFeed::state_changed, this, &LogPanel::go_to_time);
  connect(&session_.live, &Live::state_changed, this, &LogPanel::show_state);
  connect(&model_, &LogModel::rows_changed, this, &LogPanel::show_state);
  connect(&model_, &LogModel::rows_changed, this, &LogPanel::go_to_time);
  connect(&model_, &LogModel::ranks_changed, this, &LogPanel::show_ranks);
  connect(&model_, &LogModel::found, this, &LogPanel::take_found);
}

void LogPanel::show_trial(std::int64_t trial) {
  if (feed_.wish().trial == trial) return;
  quiet_.start();
  model_.clear();
  feed_.open(
      {.trial = trial, .attempt = 0, .ranks = {}, .tail = usual_tail, .search = {}, .regex = {}});
}

void LogPanel::show_time(std::int64_t time_ms) {
  wanted_time_ = time_ms;
  view_->set_following(false);
  go_to_time();
}

// An earlier time than that of the first line here is in a part that was not loaded.
void LogPanel::go_to_time() {
  if (!wanted_time_ || !feed_.is_loaded() || model_.lines().size() == 0) return;
  const std::int64_t first = model_.lines().line(model_.lines().first()).time_ms;
  if (*wanted_time_ < first && !is_complete() && feed_.wish().tail > 0) return load_all();
  const std::int64_t row = model_.row_at_time(*wanted_time_);
  if (row == model_.rows() && !feed_.has_ended()) return;  // it has not arrived yet
  view_->show_row(row);
  wanted_time_.reset();
}

bool LogPanel::is_complete() const {
  const LogWish& wish = feed_.wish();
  const bool is_whole = wish.tail == 0 || model_.lines().end() < wish.tail;
  return is_whole && wish.search.isEmpty() && wish.regex.isEmpty() && wish.ranks.empty() &&
         model_.lines().first() == 0;
}

void LogPanel::load_all() {
  LogWish wish = feed_.wish();
  wish.tail = 0;
  wish.regex.clear();
  wish.ranks.clear();
  feed_.open(wish);
}

std::optional<int> LogPanel::chosen_rank() const {
  const QVariant rank = rank_->currentData();
  return rank.isValid() ? std::optional(rank.toInt()) : std::nullopt;
}

void LogPanel::filter_changed() {
  QString problem;
  auto filter = LogFilter::create(filter_->text(), is_regex_->isChecked(), chosen_rank(), &problem);
  filter_->setToolTip(problem);
  filter_->setProperty("invalid", !filter.has_value());
  QPalette palette = this->palette();
  if (!filter) palette.setColor(QPalette::Text, theme().bad);
  filter_->setPalette(palette);
  if (!filter) return;
  view_->set_marks(*LogFilter::create(filter_->text(), is_regex_->isChecked(), std::nullopt));
  model_.set_filter(std::move(*filter));
  if (!is_complete()) ask_later_.start();
  show_state();
}

void LogPanel::ask_master() {
  LogWish wish{.trial = feed_.wish().trial,
               .attempt = 0,
               .ranks = {},
               .tail = usual_tail,
               .search = {},
               .regex = {}};
  const QString text = filter_->text();
  if (!text.isEmpty()) {
    wish.regex = is_regex_->isChecked() ? text : QStringLiteral("(?i)") + re2_quoted(text);
  }
  if (const auto rank = chosen_rank()) wish.ranks = {*rank};
  if (!text.isEmpty()) wish.tail = 0;  // else the master searches the last lines only
  if (wish != feed_.wish()) feed_.open(wish);
}

void LogPanel::show_ranks() {
  const auto chosen = chosen_rank();
  const QSignalBlocker quiet(rank_);
  rank_->clear();
  rank_->addItem(QStringLiteral("All ranks"));
  std::set<int> ranks = model_.ranks();
  if (chosen) ranks.insert(*chosen);
  for (const int rank : ranks) {
    const QString name =
        rank >= 0 ? QStringLiteral("Rank %1").arg(rank) : QStringLiteral("Node %1").arg(-1 - rank);
    rank_->addItem(name, rank);
    if (chosen == rank) rank_->setCurrentIndex(rank_->count() - 1);
  }
}

void LogPanel::show_state() {
  const std::int64_t rows = model_.rows();
  const std::int64_t all = model_.lines().size();
  QString text = plural(rows, QStringLiteral("line"));
  if (!model_.filter().is_empty())
    text = QStringLiteral("%1 of %2 lines").arg(integer(rows), integer(all));
  if (!is_complete() && all > 0 && feed_.wish().regex.isEmpty())
    text += QStringLiteral(", the last ones");
  if (model_.is_filtering()) text += QStringLiteral("…");
  state_->setText(text);
  load_all_->setVisible(!is_complete() && all > 0 && feed_.wish().tail > 0);
  follow_->setEnabled(!feed_.has_ended());
  if (rows > 0) return content_->show_content();
  const QString what = QStringLiteral("the log");
  if (!feed_.problem().ok()) {
    return content_->show_problem(feed_.problem(), what, [this] { feed_.open(feed_.wish()); });
  }
  if (session_.live.state() == Live::State::offline) {
    return content_->show_problem(session_.live.problem(), what);
  }
  if (all > 0 || !filter_->text().isEmpty()) {
    return content_->show_empty(QStringLiteral("No line passes the filter"), QString(),
                                QStringLiteral("Clear the filter"), [this] {
                                  filter_->clear();
                                  rank_->setCurrentIndex(0);
                                });
  }
  if (!feed_.is_loaded() && quiet_.isActive()) {
    return content_->show_loading(QStringLiteral("Loading the log…"));
  }
  if (!feed_.is_loaded()) {  // a running trial that has said nothing yet sends nothing either
    return content_->show_empty(QStringLiteral("No output yet"),
                                QStringLiteral("What the trial prints appears here at once."));
  }
  content_->show_empty(QStringLiteral("No output"),
                       QStringLiteral("The trial ended without printing a line."));
}

void LogPanel::start_find() {
  find_bar_->show();
  find_->setFocus(Qt::ShortcutFocusReason);
  find_->selectAll();
}

void LogPanel::find(bool forward) {
  if (find_->text().isEmpty()) return start_find();
  find_bar_->show();
  found_->setText(QStringLiteral("…"));
  const std::int64_t from =
      view_->current_row().value_or(forward ? view_->top_row() - 1 : view_->top_row());
  model_.find(*LogFilter::create(find_->text(), false, std::nullopt), from, forward);
}

void LogPanel::take_found(std::optional<qint64> row) {
  found_->setText(row ? QStringLiteral("line %1").arg(integer(*row + 1))
                      : QStringLiteral("not found"));
  if (row) view_->show_row(*row);
}

void LogPanel::show_menu(const QPoint& global) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(QStringLiteral("Copy\tCtrl+C"), view_, &LogView::copy);
  menu->addAction(QStringLiteral("Select all\tCtrl+A"), view_, &LogView::select_all);
  menu->addSeparator();
  menu->addAction(QStringLiteral("Find…\tCtrl+F"), this, &LogPanel::start_find);
  menu->addAction(QStringLiteral("Save the whole log…"), this, &LogPanel::choose_file);
  menu->popup(global);
}

void LogPanel::choose_file() {
  auto* dialog = new QFileDialog(this, QStringLiteral("Save the log"), QString(),
                                 QStringLiteral("Text (*.log *.txt)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("log"));
  dialog->selectFile(QStringLiteral("trial-%1.log").arg(feed_.wish().trial));
  connect(dialog, &QFileDialog::fileSelected, this, &LogPanel::save_to);
  dialog->open();
}

// As the program printed it, escapes and all: what is shown here may be a part.
void LogPanel::save_to(const QString& path) {
  v1::ReadLogsRequest request;
  request.set_trial_id(feed_.wish().trial);
  const auto work = [request, path](const client::Client& client,
                                    const std::stop_token& stop) -> Result<std::int64_t> {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) {
      return failed_precondition(path.toStdString(), ": ", file.errorString().toStdString());
    }
    std::int64_t lines = 0;
    bool is_well = true;
    const auto write = [&](const v1::LogBatch& batch) {
      for (const v1::LogLine& line : batch.lines()) {
        is_well &= file.write(line.text().data(), static_cast<qint64>(line.text().size())) >= 0 &&
                   file.write("\n", 1) == 1;
        ++lines;
      }
      return is_well;
    };
    TRY(client.read<v1::Logs>(&v1::Logs::Stub::ReadLogs, request, write, stop));
    if (!is_well || !file.flush()) {
      return failed_precondition(path.toStdString(), ": ", file.errorString().toStdString());
    }
    return lines;
  };
  saving_ = session_.master.run<std::int64_t>(work, [this, path](Result<std::int64_t> saved) {
    if (!saved.ok()) {
      Q_EMIT session_.tell_problem(QString::fromStdString(saved.status().text()));
      return;
    }
    Q_EMIT session_.tell(
        QStringLiteral("Saved %1 to %2").arg(plural(*saved, QStringLiteral("line")), path));
  });
}

}  // namespace dt::gui
