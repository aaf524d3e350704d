#include "gui/widgets/filter_edit.h"

#include <QAction>
#include <QCoreApplication>
#include <QInputMethodEvent>
#include <QLabel>
#include <QShortcut>
#include <QStyle>
#include <QTextCharFormat>
#include <QVBoxLayout>
#include <chrono>

#include "gui/widgets/icons.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr std::chrono::milliseconds apply_after{80};

// QLineEdit has no ranges of its own, but draws those that an input method asks for.
void underline(QLineEdit& edit, const std::optional<FilterError>& error) {
  QList<QInputMethodEvent::Attribute> attributes;
  if (error) {
    QTextCharFormat format;
    format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    format.setUnderlineColor(theme().bad);
    format.setFontUnderline(true);
    attributes.push_back({QInputMethodEvent::TextFormat,
                          static_cast<int>(error->at) - edit.cursorPosition(),
                          static_cast<int>(error->length), format});
  }
  QInputMethodEvent event({}, attributes);
  QCoreApplication::sendEvent(&edit, &event);
}

}  // namespace

FilterEdit::FilterEdit(TableView& table, const QString& hint, QWidget* parent)
    : QWidget(parent), table_(table), edit_(new QLineEdit(this)), problem_(new QLabel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(half_grid);
  layout->addWidget(edit_);
  layout->addWidget(problem_);
  edit_->setPlaceholderText(hint);
  edit_->setClearButtonEnabled(true);
  edit_->addAction(icon(Icon::filter), QLineEdit::LeadingPosition);
  edit_->setAccessibleName(QStringLiteral("Filter"));
  setFocusProxy(edit_);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setProperty("bad", true);
  problem_->hide();
  apply_later_.setSingleShot(true);
  apply_later_.setInterval(apply_after);
  connect(&apply_later_, &QTimer::timeout, this, &FilterEdit::apply);
  connect(edit_, &QLineEdit::textEdited, this, [this] { apply_later_.start(); });
  connect(edit_, &QLineEdit::textChanged, this, [this](const QString& now) {
    if (now.isEmpty()) apply();  // the clear button edits without saying so
  });
  connect(edit_, &QLineEdit::returnPressed, this, [this] {
    apply();
    table_.setFocus();
  });
}

QString FilterEdit::text() const { return edit_->text(); }

void FilterEdit::set_text(const QString& text) {
  edit_->setText(text);
  apply();
}

QString FilterEdit::problem() const { return problem_->isHidden() ? QString() : problem_->text(); }

void FilterEdit::take_focus() {
  edit_->setFocus(Qt::ShortcutFocusReason);
  edit_->selectAll();
}

void FilterEdit::add_keys(QWidget& page) {
  for (const char* keys : {"Ctrl+F", "/"}) {
    auto* key = new QShortcut(QKeySequence(QString::fromLatin1(keys)), &page);
    key->setContext(Qt::WidgetWithChildrenShortcut);
    connect(key, &QShortcut::activated, this, &FilterEdit::take_focus);
  }
}

void FilterEdit::apply() {
  apply_later_.stop();
  auto parsed = parse_filter(edit_->text(), table_.sorted().table().columns());
  if (const auto* error = std::get_if<FilterError>(&parsed)) return show_problem(*error);
  show_problem(std::nullopt);
  table_.set_filter(std::get<Filter>(std::move(parsed)));
  Q_EMIT applied();
}

void FilterEdit::show_problem(const std::optional<FilterError>& error) {
  underline(*edit_, error);
  problem_->setVisible(error.has_value());
  problem_->setText(error ? error->message : QString());
  if (edit_->property("invalid").toBool() == error.has_value()) return;
  edit_->setProperty("invalid", error.has_value());
  edit_->style()->unpolish(edit_);
  edit_->style()->polish(edit_);
}

}  // namespace dt::gui
