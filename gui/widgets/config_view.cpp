#include "gui/widgets/config_view.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QTabBar>
#include <QVBoxLayout>

#include "gui/data/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/yaml_editor.h"

namespace dt::gui {

using namespace Qt::StringLiterals;

ConfigView::ConfigView(QWidget* parent) : QWidget(parent) {
  which_ = new QTabBar(this);
  which_->setObjectName(u"config_which"_s);
  which_->setDrawBase(false);
  which_->addTab(u"As submitted"_s);
  which_->addTab(u"With defaults"_s);
  search_ = new QLineEdit(this);
  search_->setObjectName(u"config_search"_s);
  search_->setAccessibleName(u"Find in the configuration"_s);
  search_->setPlaceholderText(u"Find"_s);
  search_->setClearButtonEnabled(true);
  search_->addAction(icon(Icon::search), QLineEdit::LeadingPosition);
  found_ = new QLabel(this);
  found_->setTextFormat(Qt::PlainText);
  auto* copy = new QPushButton(icon(Icon::copy), u" Copy"_s, this);
  view_ = new YamlEditor(this);
  view_->setObjectName(u"config_text"_s);
  view_->setReadOnly(true);
  auto* row = new QHBoxLayout;
  row->setSpacing(grid);
  row->addWidget(which_);
  row->addStretch(1);
  row->addWidget(found_);
  row->addWidget(search_);
  row->addWidget(copy);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, grid, 0, 0);
  layout->setSpacing(grid);
  layout->addLayout(row);
  layout->addWidget(view_, 1);
  connect(which_, &QTabBar::currentChanged, this, &ConfigView::show_text);
  connect(search_, &QLineEdit::textEdited, this, &ConfigView::search);
  connect(search_, &QLineEdit::returnPressed, this, [this] {
    find(QGuiApplication::keyboardModifiers().testFlag(Qt::ShiftModifier));
  });
  connect(copy, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(view_->toPlainText());
    Q_EMIT copied();
  });
  auto* shortcut = new QShortcut(QKeySequence::Find, this);
  shortcut->setContext(Qt::WidgetWithChildrenShortcut);
  connect(shortcut, &QShortcut::activated, search_, qOverload<>(&QWidget::setFocus));
}

void ConfigView::set_texts(const QString& submitted, const QString& resolved) {
  if (submitted == submitted_ && resolved == resolved_) return;
  submitted_ = submitted;
  resolved_ = resolved;
  show_text();
}

void ConfigView::show_text() {
  view_->setPlainText(which_->currentIndex() == 0 ? submitted_ : resolved_);
  search();
}

void ConfigView::search() {
  const QString words = search_->text();
  if (words.isEmpty()) return found_->clear();
  const auto count = view_->toPlainText().count(words, Qt::CaseInsensitive);
  found_->setText(count == 0 ? u"not found"_s : plural(count, u"place"_s));
  view_->moveCursor(QTextCursor::Start);
  view_->find(words);
}

void ConfigView::find(bool backwards) {
  const QString words = search_->text();
  const auto flags = backwards ? QTextDocument::FindBackward : QTextDocument::FindFlags();
  if (words.isEmpty() || view_->find(words, flags)) return;
  view_->moveCursor(backwards ? QTextCursor::End : QTextCursor::Start);  // round the end
  view_->find(words, flags);
}

}  // namespace dt::gui
