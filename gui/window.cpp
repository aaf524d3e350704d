#include "gui/window.h"

#include <QCloseEvent>
#include <QDateTime>
#include <QHBoxLayout>
#include <QMenu>
#include <QShortcut>
#include <QVBoxLayout>
#include <utility>

#include "dovetail/v1/admin.grpc.pb.h"
#include "gui/data/problem_words.h"
#include "gui/data/settings.h"
#include "gui/pages/pages.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_palette.h"
#include "gui/widgets/header_bar.h"
#include "gui/widgets/key_help.h"
#include "gui/widgets/link_menu.h"
#include "gui/widgets/rail.h"
#include "gui/widgets/toasts.h"
#include "gui/widgets/workspace.h"
#include "gui/window_palette.h"

namespace dt::gui {
namespace {

const QString geometry_key = QStringLiteral("window/geometry");
const QString layout_key = QStringLiteral("window/pages");
const QString theme_key = QStringLiteral("theme");
constexpr qsizetype longest_history = 100;

QString sentence(QString text) {
  text = plain(text.left(800));
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
}

}  // namespace

Window::Window(client::Credentials credentials, QWidget* parent)
    : QMainWindow(parent), session_(std::move(credentials)) {
  setWindowTitle(QStringLiteral("Dovetail"));
  setMinimumSize(960, 600);
  build();
  listen_to_pages();
  add_keys();
  header_->show_master(QString::fromStdString(session_.master.credentials().address), {});
  show_connection();
  restore_layout();
}

// Pages use the session, so they go first.
Window::~Window() {
  workspace_->disconnect(this);
  delete takeCentralWidget();
}

void Window::build() {
  auto* middle = new QWidget(this);
  auto* rows = new QVBoxLayout(middle);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  header_ = new HeaderBar(middle);
  banner_ = new Banner(middle);
  rows->addWidget(header_);
  rows->addWidget(banner_);
  auto* body = new QHBoxLayout();
  body->setSpacing(0);
  rail_ = new Rail(places(), middle);
  workspace_ = new Workspace(
      [this](const PageId& id, QWidget* owner) { return make_page(session_, id, owner); }, middle);
  body->addWidget(rail_);
  body->addWidget(workspace_, 1);
  rows->addLayout(body, 1);
  setCentralWidget(middle);
  toasts_ = new Toasts(middle);
  palette_ = new CommandPalette(this);
  connect(header_, &HeaderBar::palette_wanted, this, &Window::open_palette);
  connect(header_, &HeaderBar::back_wanted, this, [this] { go(-1); });
  connect(header_, &HeaderBar::forward_wanted, this, [this] { go(1); });
  connect(header_, &HeaderBar::menu_wanted, this, &Window::show_menu);
  connect(banner_, &Banner::pressed, this, &Window::connection_wanted);
  connect(rail_, &Rail::place_wanted, this, [this](Place place) { open(place); });
  connect(rail_, &Rail::theme_wanted, this, &Window::next_theme);
  connect(rail_, &Rail::help_wanted, this, [this] { show_key_help(this); });
  connect(workspace_, &Workspace::current_changed, this, &Window::note_current);
  connect(workspace_, &Workspace::layout_changed, this, &Window::save_layout);
  connect(&session_.live, &Live::state_changed, this, &Window::show_connection);
}

void Window::listen_to_pages() {
  connect(&session_, &Session::open_place, this, [this](Place place) { open(place); });
  connect(&session_, &Session::open_link, this, [this](const Link& link) { open(link); });
  connect(&session_, &Session::open_comparison, this,
          [this](const std::vector<Link>& links) { open(Comparison{links}); });
  connect(&session_, &Session::open_fork, this, [this](std::int64_t id) { open(Fork{id}); });
  connect(&session_, &Session::open_logs, this, [this](std::int64_t trial, std::int64_t time_ms) {
    open(LogOf{trial, time_ms});
  });
  connect(&session_, &Session::open_palette, this, &Window::open_palette_on);
  connect(&session_, &Session::tell, this, [this](const QString& text) {
    toasts_->add({.tone = Tone::neutral, .text = sentence(text)});
  });
  connect(&session_, &Session::tell_problem, this, [this](const QString& text) {
    toasts_->add({.tone = Tone::bad, .text = sentence(text), .stays = true});
  });
  connect(&session_, &Session::tell_undoable, this,
          [this](const QString& text, const std::function<void()>& undo) {
            toasts_->add({.tone = Tone::neutral,
                          .text = sentence(text),
                          .button = QStringLiteral("Undo"),
                          .on_button = undo});
          });
  connect(&session_.experiments, &ExperimentFeed::ended, this, [this](const ExperimentRow& row) {
    const Link link{Link::Kind::experiment, row.id, {}};
    const bool is_bad = row.state == QLatin1String("ERROR");
    toasts_->add({.tone = tone_of(state_word(row.state)),
                  .text = QStringLiteral("Experiment %1, %2: %3.")
                              .arg(row.id)
                              .arg(one_line(row.name, 60), state_word(row.state)),
                  .button = QStringLiteral("Open"),
                  .on_button = [this, link] { open(link); },
                  .stays = is_bad});
  });
}

void Window::add_keys() {
  const auto key = [this](const char* keys, auto work) {
    connect(new QShortcut(QKeySequence(QString::fromLatin1(keys)), this), &QShortcut::activated,
            this, work);
  };
  key("Ctrl+K", [this] { open_palette(); });
  key("Alt+Left", [this] { go(-1); });
  key("Alt+Right", [this] { go(1); });
  key("Ctrl+W", [this] { workspace_->close_current(); });
  key("Ctrl+Tab", [this] { workspace_->step(1); });
  key("Ctrl+Shift+Tab", [this] { workspace_->step(-1); });
  key("Ctrl+Shift+O", [this] { workspace_->tear_off_current(); });
  key("Ctrl+Shift+E", [this] { workspace_->move_current_to_other_side(); });
  key("Ctrl+Shift+T", [this] { next_theme(); });
  key("?", [this] { show_key_help(this); });
  key("F1", [this] { show_key_help(this); });
}

void Window::open(const PageId& id) {
  if (workspace_->open(id)) return;
  Q_EMIT session_.tell(QStringLiteral("%1 has no page").arg(title_of(id)));
}

// --- the way back ---

void Window::note_current() {
  const std::optional<PageId> current = workspace_->current();
  const Place* place = current ? std::get_if<Place>(&*current) : nullptr;
  rail_->show_current(place ? std::optional(*place) : std::nullopt);
  const QString text = current ? to_text(*current) : QString();
  const bool is_new = history_at_ < 0 || history_[history_at_] != text;
  if (!text.isEmpty() && is_new && !is_going_) {
    history_.resize(history_at_ + 1);
    history_.push_back(text);
    if (history_.size() > longest_history) history_.pop_front();
    history_at_ = history_.size() - 1;
  }
  header_->enable_history(history_at_ > 0, history_at_ + 1 < history_.size());
}

void Window::go(int by) {
  const qsizetype to = history_at_ + by;
  if (to < 0 || to >= history_.size()) return;
  history_at_ = to;
  is_going_ = true;
  if (const auto id = page_from_text(history_[to])) workspace_->open(*id);
  is_going_ = false;
  note_current();
}

// --- the connection ---

void Window::show_connection() {
  const Live& live = session_.live;
  const qint64 now_ms = QDateTime::currentMSecsSinceEpoch();
  switch (live.state()) {
    case Live::State::connecting: return header_->show_state(QStringLiteral("connecting"));
    case Live::State::online:
      header_->show_state(QStringLiteral("connected"));
      banner_->hide();
      was_online_ = true;
      online_until_ms_ = 0;
      return ask_who_it_is();
    case Live::State::offline: break;
  }
  header_->show_state(QStringLiteral("offline"));
  if (online_until_ms_ == 0) online_until_ms_ = now_ms;
  QString text = problem_text(live.problem());
  const Code code = live.problem().code();
  if (code == Code::unauthenticated || code == Code::permission_denied) {
    text += QLatin1Char(' ') + problem_hint(live.problem());
    return banner_->show_text(text, QStringLiteral("Connect…"));
  }
  text += QStringLiteral(" Trying again every few seconds.");
  if (was_online_) {
    text += QStringLiteral(" What you see is from %1.").arg(exact_time(online_until_ms_));
  }
  banner_->show_text(text, QStringLiteral("Other master…"));
}

void Window::ask_who_it_is() {
  asking_ = session_.master.call<v1::Admin>(
      &v1::Admin::Stub::GetMaster, v1::GetMasterRequest(),
      [this](Result<v1::GetMasterResponse> got) {
        if (!got.ok()) return;
        const QString address = QString::fromStdString(session_.master.credentials().address);
        header_->show_master(
            QStringLiteral("%1@%2").arg(QString::fromStdString(got->user()), address),
            QStringLiteral("Dovetail %1, cluster %2")
                .arg(QString::fromStdString(got->version()),
                     QString::fromStdString(got->cluster_id())));
      });
}

// --- palette, menu, theme ---

void Window::open_palette() {
  std::vector<PaletteEntry> entries = place_entries(session_);
  const auto add = [&](Icon picture, const char* title, const char* key,
                       std::function<void()> run) {
    entries.push_back(
        {picture, QString::fromUtf8(title), {}, QString::fromLatin1(key), 100, std::move(run)});
  };
  add(Icon::theme, "Switch between light and dark", "Ctrl+Shift+T", [this] { next_theme(); });
  add(Icon::theme, "Follow the desktop's theme", "", [this] { use_theme(ThemeChoice::system); });
  add(Icon::tear_off, "Open this page in its own window", "Ctrl+Shift+O",
      [this] { workspace_->tear_off_current(); });
  add(Icon::split, "Move this page to the other side", "Ctrl+Shift+E",
      [this] { workspace_->move_current_to_other_side(); });
  add(Icon::close, "Close this page", "Ctrl+W", [this] { workspace_->close_current(); });
  add(Icon::settings, "Connect to another master", "", [this] { Q_EMIT connection_wanted(); });
  add(Icon::refresh, "Reload experiments", "", [this] { session_.experiments.reload(); });
  add(Icon::help, "Show all keys", "?", [this] { show_key_help(this); });
  const std::vector<PaletteEntry> experiments = experiment_entries(session_);
  entries.insert(entries.end(), experiments.begin(), experiments.end());
  palette_->open_with(QStringLiteral("Experiment, trial number, place or command"),
                      std::move(entries),
                      [this](const QString& typed) { return number_entries(session_, typed); });
}

void Window::open_palette_on(const std::vector<Link>& links) {
  std::vector<PaletteEntry> entries;
  for (const LinkAction& action : actions_of(session_, links, this)) {
    if (action.title.isEmpty()) continue;
    entries.push_back({action.icon, action.title, {}, action.key, 0, action.run});
  }
  const QString what =
      links.size() == 1 ? title_of(links[0]) : QStringLiteral("%1 selected").arg(links.size());
  if (!entries.empty()) palette_->open_with(what, std::move(entries));
}

void Window::show_menu() {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(QStringLiteral("Connect to another master…"), this, &Window::connection_wanted);
  menu->addSection(QStringLiteral("Theme"));
  for (const ThemeChoice choice : {ThemeChoice::system, ThemeChoice::light, ThemeChoice::dark}) {
    const QString title = choice == ThemeChoice::system  ? QStringLiteral("As the desktop")
                          : choice == ThemeChoice::light ? QStringLiteral("Light")
                                                         : QStringLiteral("Dark");
    QAction* action = menu->addAction(title, this, [this, choice] { use_theme(choice); });
    action->setCheckable(true);
    action->setChecked(choice == theme_choice());
  }
  menu->addSeparator();
  menu->addAction(QStringLiteral("Keys\t?"), this, [this] { show_key_help(this); });
  menu->popup(header_->menu_place());
}

void Window::use_theme(ThemeChoice choice) {
  set_theme(choice);
  Settings::get().set(theme_key, to_text(choice));
}

void Window::next_theme() { use_theme(theme().is_dark ? ThemeChoice::light : ThemeChoice::dark); }

// --- what was open comes back ---

void Window::restore_layout() {
  if (!restoreGeometry(Settings::get().bytes(geometry_key))) resize(1280, 800);
  workspace_->restore(Settings::get().value(layout_key).toObject());
  if (!workspace_->current()) open(Place::experiments);
}

void Window::save_layout() {
  Settings::get().set(layout_key, workspace_->layout());
  Settings::get().set_bytes(geometry_key, saveGeometry());
}

void Window::closeEvent(QCloseEvent* event) {
  save_layout();
  QMainWindow::closeEvent(event);
}

void Window::moveEvent(QMoveEvent* event) {
  QMainWindow::moveEvent(event);
  if (isVisible()) save_layout();
}

void Window::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  if (isVisible()) save_layout();
}

}  // namespace dt::gui
