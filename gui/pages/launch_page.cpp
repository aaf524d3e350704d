#include "gui/pages/launch_page.h"

#include <QCheckBox>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <algorithm>
#include <chrono>

#include "dovetail/v1/experiment.grpc.pb.h"
#include "gui/models/problems_model.h"
#include "gui/session.h"
#include "gui/widgets/card.h"
#include "gui/widgets/context_picker.h"
#include "gui/widgets/diff_view.h"
#include "gui/widgets/overrides_form.h"
#include "gui/widgets/search_preview.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/yaml_editor.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr std::chrono::milliseconds remember_after{500};
constexpr qint64 config_bytes_max = 1 << 20;  // as the master takes

Result<QByteArray> read_file(const QString& path) {
  QFile file(path);
  const std::string name = path.toStdString();
  if (!file.open(QIODevice::ReadOnly)) {
    return not_found(name, ": ", file.errorString().toStdString());
  }
  if (file.size() > config_bytes_max) {
    return invalid_argument(name, " has ", file.size(),
                            " bytes; a configuration has at most 1 MiB");
  }
  return file.readAll();
}

// A fork keeps a draft of its own beside that of the launch page.
QString memory_of(const QString& path, std::int64_t fork_of) {
  return fork_of == 0 ? path : path + u".fork"_s + QString::number(fork_of);
}

}  // namespace

LaunchPage::LaunchPage(Session& session, std::int64_t fork_of, QWidget* parent,
                       const QString& memory_path)
    : QWidget(parent),
      session_(session),
      fork_of_(fork_of),
      memory_(memory_of(memory_path, fork_of)),
      check_(session.master),
      submit_(session.master),
      widgets_(make_launch_widgets(this, session.master)) {
  setObjectName(u"launch_page"_s);
  setAcceptDrops(true);
  const QString title = fork_of == 0 ? u"Launch"_s : u"Fork of "_s + QString::number(fork_of);
  setWindowTitle(title);
  widgets_.title->setText(fork_of == 0 ? u"Launch an experiment"_s : title);
  remember_later_.setSingleShot(true);
  remember_later_.setInterval(remember_after);
  wire();
  recall();
  show_check();
}

LaunchPage::~LaunchPage() {
  if (remember_later_.isActive()) remember();
}

void LaunchPage::wire() {
  connect(widgets_.editor, &QPlainTextEdit::textChanged, this, &LaunchPage::edited);
  connect(widgets_.editor, &YamlEditor::file_dropped, this, &LaunchPage::open_config);
  connect(widgets_.overrides, &OverridesForm::changed, this, &LaunchPage::edited);
  connect(widgets_.context, &ContextPicker::folder_changed, this, &LaunchPage::edited);
  connect(widgets_.paused, &QCheckBox::toggled, this, &LaunchPage::edited);
  connect(widgets_.open_menu, &QMenu::aboutToShow, this, &LaunchPage::fill_open_menu);
  connect(widgets_.launch, &QPushButton::clicked, this, &LaunchPage::launch);
  connect(widgets_.cancel, &QPushButton::clicked, &submit_, &LaunchSubmit::cancel);
  connect(widgets_.copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(launch_command(draft()));
    Q_EMIT session_.tell(u"copied the dtctl command"_s);
  });
  connect(widgets_.problems, &QTableView::clicked, this,
          [this](const QModelIndex& index) { go_to_problem(index.row()); });
  connect(&check_, &LaunchCheck::changed, this, &LaunchPage::show_check);
  connect(&submit_, &LaunchSubmit::changed, this, &LaunchPage::show_submit);
  connect(&submit_, &LaunchSubmit::created, this, &LaunchPage::take_created);
  connect(&submit_, &LaunchSubmit::failed, this, &LaunchPage::take_failure);
  connect(&remember_later_, &QTimer::timeout, this, &LaunchPage::remember);
  connect(&session_.live, &Live::reset, this, [this] {
    if (check_.state() == LaunchCheck::State::failed) check_.check_again();
    if (fork_of_ != 0 && is_recalled_ && !parent_) load_parent();
  });
}

// --- the draft and its memory

LaunchDraft LaunchPage::draft() const {
  return {.config_path = config_path_,
          .config_yaml = widgets_.editor->toPlainText(),
          .context_folder = widgets_.context->folder(),
          .overrides = widgets_.overrides->overrides(),
          .is_paused = widgets_.paused->isChecked(),
          .parent = parent_};
}

void LaunchPage::remember() { memory_.save({draft(), recent_configs_}); }

void LaunchPage::recall() {
  recalling_ = session_.master.run<QByteArray>(
      [path = memory_.path()](const client::Client&, std::stop_token) { return read_file(path); },
      [this](Result<QByteArray> bytes) { take_memory(std::move(bytes)); });
}

void LaunchPage::take_memory(Result<QByteArray> bytes) {
  is_recalled_ = true;
  const LaunchState state = bytes.ok() ? launch_state_of(*bytes) : LaunchState();
  recent_configs_ = state.recent_configs;
  const bool is_untouched = widgets_.editor->document()->isEmpty();
  if (is_untouched && !state.draft.config_yaml.isEmpty()) show_draft(state.draft);
  if (!is_untouched) remember_later_.start();
  if (fork_of_ != 0 && !parent_) load_parent();
}

void LaunchPage::show_draft(const LaunchDraft& draft) {
  if (draft.parent) set_parent(*draft.parent);
  config_path_ = draft.config_path;
  widgets_.paused->setChecked(draft.is_paused);
  widgets_.overrides->set_overrides(draft.overrides);
  widgets_.context->set_folder(draft.context_folder);
  widgets_.editor->setPlainText(draft.config_yaml);
  edited();
}

// --- a fork's parent

void LaunchPage::load_parent() {
  v1::GetExperimentRequest request;
  request.set_id(fork_of_);
  loading_ = session_.master.call<v1::Experiments>(
      &v1::Experiments::Stub::GetExperiment, request,
      [this](Result<v1::GetExperimentResponse> got) {
        if (!got.ok()) {
          return widgets_.trouble->set_text(u"Experiment "_s + QString::number(fork_of_) +
                                            u" could not be read: "_s +
                                            QString::fromStdString(got.status().text()));
        }
        const v1::Experiment& experiment = got->experiment();
        widgets_.trouble->set_text({});
        set_parent({.experiment_id = experiment.id(),
                    .name = QString::fromStdString(experiment.name()),
                    .config_yaml = QString::fromStdString(experiment.config_yaml()),
                    .context_hash = QString::fromStdString(experiment.context_hash())});
        if (widgets_.editor->document()->isEmpty()) {
          widgets_.editor->setPlainText(parent_->config_yaml);
        }
        edited();
      });
}

void LaunchPage::set_parent(const ForkParent& parent) {
  parent_ = parent;
  widgets_.title->setText(u"Fork of experiment "_s + QString::number(parent.experiment_id) +
                          u", "_s + one_line(parent.name, 60));
  widgets_.context->set_kept_context(parent.context_hash,
                                     u"experiment "_s + QString::number(parent.experiment_id));
  if (widgets_.tabs->count() == 1) widgets_.tabs->addTab(widgets_.difference, {});
}

// --- configuration files

void LaunchPage::fill_open_menu() {
  QMenu& menu = *widgets_.open_menu;
  menu.clear();
  menu.addAction(u"Choose a file…"_s, this, &LaunchPage::choose_config);
  if (!recent_configs_.isEmpty()) menu.addSection(u"Recent"_s);
  for (const QString& path : recent_configs_) {
    QString words = one_line(path, 80);
    menu.addAction(words.replace(u'&', u"&&"_s), this, [this, path] { open_config(path); });
  }
}

void LaunchPage::choose_config() {
  const QString beside = recent_configs_.isEmpty() ? QString() : recent_configs_.front();
  auto* dialog = new QFileDialog(this, u"Configuration"_s, QFileInfo(beside).path(),
                                 u"YAML (*.yaml *.yml);;All files (*)"_s);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &LaunchPage::open_config);
  dialog->open();
}

void LaunchPage::open_config(const QString& path) {
  loading_ = session_.master.run<QByteArray>(
      [path](const client::Client&, std::stop_token) { return read_file(path); },
      [this, path](Result<QByteArray> bytes) { take_config(path, std::move(bytes)); });
}

void LaunchPage::take_config(const QString& path, Result<QByteArray> bytes) {
  if (!bytes.ok()) {
    return widgets_.trouble->set_text(QString::fromStdString(bytes.status().text()));
  }
  widgets_.trouble->set_text({});
  config_path_ = path;
  recent_configs_ = with_recent(recent_configs_, path);
  widgets_.editor->setPlainText(QString::fromUtf8(*bytes));
  if (widgets_.context->folder().isEmpty() && !parent_) {
    widgets_.context->set_folder(QFileInfo(path).absolutePath());
  }
  edited();
}

void LaunchPage::dragEnterEvent(QDragEnterEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void LaunchPage::dropEvent(QDropEvent* event) {
  const QString path = event->mimeData()->urls().front().toLocalFile();
  if (QFileInfo(path).isDir()) return widgets_.context->set_folder(path);
  open_config(path);
}

// --- checking

void LaunchPage::edited() {
  const LaunchDraft now = draft();
  wants_launch_ = false;
  check_.set_input(now.config_yaml, override_texts(now.overrides));
  if (parent_) {
    widgets_.difference->set_texts(parent_->config_yaml, now.config_yaml);
    const int lines = widgets_.difference->changed_lines();
    widgets_.tabs->setTabText(1, u"Difference ("_s + plural(lines, u"line"_s) + u')');
  }
  if (is_recalled_) remember_later_.start();
}

void LaunchPage::show_check() {
  if (check_.state() != LaunchCheck::State::checking) show_problems(check_.problems());
  widgets_.config->set_word(check_words());
  show_preview();
  if (check_.state() == LaunchCheck::State::valid) {
    widgets_.overrides->set_resolved(check_.resolved_json());
  }
  if (wants_launch_) go_on();
}

QString LaunchPage::check_words() const {
  const auto& problems = check_.problems();
  const auto warnings = std::count_if(problems.begin(), problems.end(),
                                      [](const ConfigProblem& each) { return each.is_warning; });
  const auto errors = static_cast<std::int64_t>(problems.size()) - warnings;
  switch (check_.state()) {
    case LaunchCheck::State::empty: return {};
    case LaunchCheck::State::checking: return u"checking…"_s;
    case LaunchCheck::State::failed: return u"not checked: the master does not answer"_s;
    case LaunchCheck::State::invalid: return plural(errors, u"error"_s);
    case LaunchCheck::State::valid: break;
  }
  return warnings > 0 ? u"valid, "_s + plural(warnings, u"warning"_s) : u"✓ valid"_s;
}

void LaunchPage::show_problems(const std::vector<ConfigProblem>& problems) {
  std::vector<YamlEditor::Mark> marks;
  for (const ConfigProblem& problem : problems) {
    if (problem.line > 0) {
      marks.push_back({problem.line, problem.message, problem.hint, problem.is_warning});
    }
  }
  widgets_.editor->set_marks(marks);
  widgets_.problems_model->set_problems(problems);
  widgets_.problems->setVisible(!problems.empty());
}

void LaunchPage::show_preview() {
  using State = LaunchCheck::State;
  if (check_.preview()) {
    widgets_.preview->show_preview(*check_.preview());
  } else if (check_.state() == State::valid && !check_.preview_failure().ok()) {
    widgets_.preview->show_failure(check_.preview_failure());
  } else if (check_.state() == State::empty) {
    widgets_.preview->show_words(
        u"Shows trials, rungs and the whole budget before anything runs."_s);
  } else if (check_.state() == State::invalid) {
    widgets_.preview->show_words(u"Shown once the configuration is valid."_s);
  } else if (check_.state() == State::failed) {
    widgets_.preview->show_words(u"Shown once the master answers again."_s);
  }
}

void LaunchPage::go_to_problem(int row) {
  const auto& rows = widgets_.problems_model->rows();
  if (row < 0 || row >= static_cast<int>(rows.size())) return;
  const int line = rows[static_cast<std::size_t>(row)].problem.line;
  widgets_.tabs->setCurrentIndex(0);
  if (line > 0) widgets_.editor->go_to_line(line);
}

// --- submitting

void LaunchPage::launch() {
  if (submit_.is_running()) return;
  widgets_.trouble->set_text({});
  wants_launch_ = true;
  if (check_.state() == LaunchCheck::State::failed) return check_.check_again();
  go_on();
}

void LaunchPage::go_on() {
  using State = LaunchCheck::State;
  if (check_.state() == State::checking) return;
  wants_launch_ = false;
  if (check_.state() == State::empty) {
    return widgets_.trouble->set_text(u"There is no configuration yet: open one, or type it."_s);
  }
  if (check_.state() == State::failed) {
    return widgets_.trouble->set_text(QString::fromStdString(check_.failure().text()) +
                                      u". What you typed is kept."_s);
  }
  if (check_.state() == State::invalid) return go_to_problem(0);
  if (widgets_.context->has_problem()) {
    return widgets_.trouble->set_text(u"The code folder cannot be sent; see there why."_s);
  }
  remember();
  submit_.start(draft());
}

void LaunchPage::show_submit() {
  using Step = LaunchSubmit::Step;
  const bool is_running = submit_.is_running();
  widgets_.progress_row->setVisible(is_running);
  widgets_.launch->setEnabled(!is_running);
  widgets_.editor->setReadOnly(is_running);
  widgets_.cancel->setVisible(submit_.can_cancel());
  const QString size = bytes(submit_.total_bytes());
  switch (submit_.step()) {
    case Step::idle: return;
    case Step::packing: widgets_.progress_words->set_text(u"packing "_s + size); break;
    case Step::uploading: widgets_.progress_words->set_text(u"uploading "_s + size); break;
    case Step::creating: widgets_.progress_words->set_text(u"submitting"_s); break;
  }
  const bool has_fraction = submit_.step() != Step::creating;
  widgets_.progress->setRange(0, has_fraction ? 1000 : 0);
  widgets_.progress->setValue(static_cast<int>(submit_.fraction() * 1000));
}

void LaunchPage::take_created(std::int64_t experiment_id, const QStringList& warnings) {
  for (const QString& warning : warnings) Q_EMIT session_.tell(plain(warning));
  Q_EMIT session_.tell(u"launched experiment "_s + QString::number(experiment_id));
  Q_EMIT session_.open_link({.kind = Link::Kind::experiment, .id = experiment_id, .name = {}});
}

void LaunchPage::take_failure(const Status& status, bool is_context) {
  if (is_context) {
    widgets_.context->show_problem(status);
    return widgets_.trouble->set_text(u"The code folder was not sent; see there why."_s);
  }
  if (status.code() == Code::invalid_argument) {
    show_problems(problems_of(status));
    return go_to_problem(0);
  }
  const bool is_lost =
      status.code() == Code::unavailable || status.code() == Code::deadline_exceeded;
  const QString words = QString::fromStdString(status.text());
  widgets_.trouble->set_text(
      is_lost
          ? words + u"\nIt may have been launched all the same. Launch again makes no second one."_s
          : words);
}

}  // namespace dt::gui
