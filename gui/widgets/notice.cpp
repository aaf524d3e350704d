#include "gui/widgets/notice.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <chrono>
#include <utility>

#include "gui/data/problem_words.h"
#include "gui/widgets/icon_label.h"
#include "gui/widgets/spinner.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr std::chrono::milliseconds spin_after{300};
constexpr int text_width = 480;

// What went wrong, and below it the way out.
QString explanation(const Status& problem) {
  const QString hint = problem_hint(problem);
  return problem_text(problem) + (hint.isEmpty() ? hint : QLatin1Char('\n') + hint);
}

QString capital(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

}  // namespace

Notice::Notice(QWidget* parent)
    : QWidget(parent),
      spinner_(new Spinner(this)),
      icon_(new IconLabel(this)),
      headline_(new QLabel(this)),
      text_(new QLabel(this)),
      button_(new QPushButton(this)) {
  // A column of its own width: labels that wrap ask for the height that they need at it.
  auto* column = new QWidget(this);
  column->setFixedWidth(text_width);
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(grid);
  layout->addWidget(icon_, 0, Qt::AlignHCenter);
  layout->addWidget(spinner_, 0, Qt::AlignHCenter);
  layout->addWidget(headline_);
  layout->addWidget(text_);
  layout->addSpacing(half_grid);
  layout->addWidget(button_, 0, Qt::AlignHCenter);
  auto* rows = new QGridLayout(this);
  rows->setRowStretch(0, 2);
  rows->setRowStretch(2, 3);
  rows->setColumnStretch(0, 1);
  rows->setColumnStretch(2, 1);
  rows->addWidget(column, 1, 1);
  for (QLabel* label : {headline_, text_}) {
    label->setTextFormat(Qt::PlainText);
    label->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  QFont font = bold_font();
  font.setPixelSize(15);
  headline_->setFont(font);
  text_->setProperty("faint", true);
  spin_later_.setSingleShot(true);
  spin_later_.setInterval(spin_after);
  connect(&spin_later_, &QTimer::timeout, this, [this] {
    spinner_->show();
    headline_->show();
  });
  connect(button_, &QPushButton::clicked, this, [this] {
    if (on_button_) on_button_();
  });
}

void Notice::show_words(Words words) {
  spin_later_.stop();
  spinner_->hide();
  icon_->set_icon(words.icon);
  icon_->show();
  headline_->setText(words.headline);
  headline_->show();
  text_->setText(words.text);
  text_->setVisible(!words.text.isEmpty());
  // Said outright: nested layouts learn of a longer text some turns later, and cut it until then.
  for (QLabel* label : {headline_, text_}) {
    label->ensurePolished();
    label->setFixedHeight(label->heightForWidth(text_width));
  }
  button_->setText(words.button);
  button_->setVisible(!words.button.isEmpty());
  on_button_ = std::move(words.on_button);
}

void Notice::show_loading(const QString& what) {
  icon_->hide();
  text_->hide();
  button_->hide();
  spinner_->hide();
  headline_->hide();  // what comes at once needs no word
  headline_->setText(what);
  spin_later_.start();
}

Content::Content(QWidget* shown, QWidget* parent)
    : QStackedWidget(parent), shown_(shown), notice_(new Notice(this)) {
  addWidget(shown_);
  addWidget(notice_);
}

// The keys go on to what came in the place of the notice.
void Content::show_content() {
  if (is_content()) return;
  const QWidget* focus = window()->focusWidget();
  const bool is_free = focus == nullptr || !focus->isVisible() || isAncestorOf(focus);
  setCurrentWidget(shown_);
  if (is_free && isVisible()) shown_->setFocus();
}

void Content::show_words(Notice::Words words) {
  notice_->show_words(std::move(words));
  setCurrentWidget(notice_);
}

void Content::show_empty(const QString& headline, const QString& text, const QString& button,
                         std::function<void()> on_button) {
  show_words({Icon::empty, headline, text, button, std::move(on_button)});
}

void Content::show_loading(const QString& what) {
  notice_->show_loading(what);
  setCurrentWidget(notice_);
}

void Content::show_problem(const Status& problem, const QString& what,
                           std::function<void()> retry) {
  Notice::Words words{Icon::warning,
                      {},
                      explanation(problem),
                      retry ? QStringLiteral("Try again") : QString(),
                      std::move(retry)};
  switch (problem.code()) {
    case Code::unavailable:
    case Code::deadline_exceeded:
      words.icon = Icon::offline;
      words.headline = QStringLiteral("The master does not answer");
      words.text += QStringLiteral("\nThis page fills itself when it is back.");
      break;
    case Code::unimplemented:
      words.icon = Icon::info;
      words.headline = QStringLiteral("This master cannot tell %1").arg(what);
      words.text = QStringLiteral(
          "It runs an older version of Dovetail. Everything else works; after an update of the "
          "master this page fills itself.");
      break;
    case Code::unauthenticated:
    case Code::permission_denied:
      words.headline = QStringLiteral("The master refuses to show %1").arg(what);
      break;
    case Code::not_found:
      words.icon = Icon::empty;
      words.headline = QStringLiteral("There is no such thing");
      break;
    default: words.headline = QStringLiteral("%1 could not be loaded").arg(capital(what));
  }
  show_words(std::move(words));
}

}  // namespace dt::gui
