#include "gui/widgets/context_picker.h"

#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <chrono>

#include "gui/widgets/card.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr std::chrono::milliseconds typing_pause{300};
constexpr int tree_height = 200;

Result<ContextTree> read_tree(const std::string& folder, const std::stop_token& stop) {
  const client::ContextListing listing = TRY(client::list_context(folder, stop));
  return make_context_tree(folder, listing);
}

QString problem_words(const ContextTree& tree) {
  QStringList words;
  for (const Status& problem : tree.problems) words += QString::fromStdString(problem.text());
  if (!tree.biggest.isEmpty()) words.insert(1, u"The biggest: "_s + tree.biggest);
  constexpr qsizetype shown = 4;
  if (words.size() > shown) {
    const qsizetype more = words.size() - shown + 1;
    words = words.mid(0, shown - 1);
    words += u"and "_s + plural(more, u"more problem"_s);
  }
  return words.join(u'\n');
}

}  // namespace

ContextPicker::ContextPicker(Master& master, QWidget* parent) : QWidget(parent), master_(master) {
  read_later_.setSingleShot(true);
  read_later_.setInterval(typing_pause);
  connect(&read_later_, &QTimer::timeout, this, &ContextPicker::read);
  build();
  show_state();
}

void ContextPicker::build() {
  edit_ = new QLineEdit(this);
  edit_->setObjectName(u"context_folder"_s);
  edit_->setAccessibleName(u"Code folder"_s);
  edit_->setPlaceholderText(u"no folder: nothing is uploaded"_s);
  connect(edit_, &QLineEdit::textEdited, this, &ContextPicker::set_folder);
  clear_ = new QToolButton(this);
  clear_->setIcon(icon(Icon::close));
  clear_->setToolTip(u"No folder"_s);
  clear_->setAccessibleName(u"No folder"_s);
  connect(clear_, &QToolButton::clicked, this, [this] { set_folder({}); });
  auto* button = new QPushButton(icon(Icon::folder), u" Choose…"_s, this);
  button->setObjectName(u"choose_context"_s);
  connect(button, &QPushButton::clicked, this, &ContextPicker::choose);
  auto* row = new QHBoxLayout;
  row->setSpacing(half_grid);
  row->addWidget(edit_, 1);
  row->addWidget(clear_);
  row->addWidget(button);
  summary_ = new FaintLabel({}, this);
  summary_->setObjectName(u"context_summary"_s);
  trouble_ = new FaintLabel({}, this);
  trouble_->setObjectName(u"context_problem"_s);
  trouble_->set_bad(true);
  tree_ = new QTreeView(this);
  tree_->setObjectName(u"context_tree"_s);
  tree_->setAccessibleName(u"What is uploaded"_s);
  tree_->setModel(&model_);
  tree_->setUniformRowHeights(true);
  tree_->setMinimumHeight(tree_height);
  tree_->header()->setStretchLastSection(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(grid);
  layout->addLayout(row);
  layout->addWidget(summary_);
  layout->addWidget(trouble_);
  layout->addWidget(tree_, 1);
}

void ContextPicker::set_kept_context(const QString& hash, const QString& parent_name) {
  kept_hash_ = hash;
  kept_from_ = parent_name;
  show_state();
}

void ContextPicker::set_folder(const QString& folder) {
  if (folder == folder_) return;
  folder_ = folder;
  if (edit_->text() != folder) edit_->setText(folder);
  problem_ = {};
  reading_.cancel();
  if (folder_.isEmpty()) {
    read_later_.stop();
    model_.set_tree({});
  } else {
    read_later_.start();
  }
  show_state();
  Q_EMIT folder_changed(folder_);
}

void ContextPicker::choose() {
  auto* dialog = new QFileDialog(this, u"Code folder"_s, folder_.isEmpty() ? QDir::homePath() : folder_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, &ContextPicker::set_folder);
  dialog->open();
}

void ContextPicker::read() {
  const std::string folder = folder_.toStdString();
  reading_ = master_.run<ContextTree>(
      [folder](const client::Client&, std::stop_token stop) { return read_tree(folder, stop); },
      [this](Result<ContextTree> tree) { take(std::move(tree)); });
}

void ContextPicker::take(Result<ContextTree> tree) {
  problem_ = tree.ok() ? Status() : tree.status();
  model_.set_tree(tree.ok() ? std::move(tree).value() : ContextTree());
  for (int column = ContextModel::files; column >= 0; --column) tree_->resizeColumnToContents(column);
  show_state();
}

void ContextPicker::show_problem(const Status& problem) {
  problem_ = problem;
  show_state();
}

bool ContextPicker::has_problem() const {
  return !problem_.ok() || !model_.tree().problems.empty();
}

void ContextPicker::show_state() {
  const ContextTree& tree = model_.tree();
  const bool is_read = !tree.folder.isEmpty();
  clear_->setVisible(!folder_.isEmpty());
  tree_->setVisible(is_read);
  if (is_read) {
    summary_->set_text(context_words(tree));
  } else if (!folder_.isEmpty()) {
    summary_->set_text(problem_.ok() ? u"reading the folder…"_s : QString());
  } else if (!kept_hash_.isEmpty()) {
    summary_->set_text(u"The files of "_s + one_line(kept_from_, 60) +
                       u" are kept. Choose a folder to send others."_s);
  } else {
    summary_->set_text(u"The folder your program runs in. Choose or drop it here."_s);
  }
  const bool has_own = !problem_.ok();
  trouble_->set_text(has_own ? QString::fromStdString(problem_.text()) : problem_words(tree));
}

}  // namespace dt::gui
