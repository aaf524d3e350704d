#include "gui/widgets/toasts.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <chrono>
#include <utility>

#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr std::chrono::seconds shown_for{6};
constexpr int toast_width = 360;
constexpr int most_at_once = 4;

Icon icon_of(Tone tone) {
  switch (tone) {
    case Tone::good: return Icon::check;
    case Tone::bad:
    case Tone::warning: return Icon::warning;
    default: return Icon::info;
  }
}

// One message. It waits while the pointer is on it.
class Toast : public QFrame {
 public:
  Toast(Toasts::Words words, QWidget* parent) : QFrame(parent), text_(new QLabel(this)) {
    setObjectName(QStringLiteral("toast"));
    setFixedWidth(toast_width);
    setFocusPolicy(Qt::NoFocus);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, grid, half_grid, grid);
    layout->setSpacing(grid);
    auto* picture = new QLabel(this);
    picture->setPixmap(icon(icon_of(words.tone), tone_color(words.tone)).pixmap(QSize(18, 18)));
    layout->addWidget(picture, 0, Qt::AlignTop);
    text_->setTextFormat(Qt::PlainText);
    text_->setWordWrap(true);
    text_->setText(plain(words.text.left(800)));
    layout->addWidget(text_, 1);
    if (!words.button.isEmpty()) add_button(*layout, words);
    auto* close = new QToolButton(this);
    close->setIcon(icon(Icon::close));
    close->setProperty("flat", true);
    close->setFocusPolicy(Qt::NoFocus);
    close->setAccessibleName(QStringLiteral("Close"));
    layout->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &QObject::deleteLater);
    leave_.setSingleShot(true);
    leave_.setInterval(shown_for);
    connect(&leave_, &QTimer::timeout, this, &QObject::deleteLater);
    if (!words.stays) leave_.start();
    stays_ = words.stays;
  }

  QString text() const { return text_->text(); }

 protected:
  void enterEvent(QEnterEvent*) override { leave_.stop(); }
  void leaveEvent(QEvent*) override {
    if (!stays_) leave_.start();
  }

 private:
  void add_button(QHBoxLayout& layout, const Toasts::Words& words) {
    auto* button = new QPushButton(words.button, this);
    button->setFocusPolicy(Qt::NoFocus);
    layout.addWidget(button, 0, Qt::AlignTop);
    connect(button, &QPushButton::clicked, this, [this, run = words.on_button] {
      deleteLater();
      if (run) run();
    });
  }

  QLabel* text_;
  QTimer leave_;
  bool stays_ = false;
};

}  // namespace

Toasts::Toasts(QWidget* over) : QWidget(over), layout_(new QVBoxLayout(this)) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(grid);
  setAttribute(Qt::WA_TransparentForMouseEvents, false);
  over->installEventFilter(this);
  hide();
}

void Toasts::add(Words words) {
  auto* toast = new Toast(std::move(words), this);
  layout_->addWidget(toast);
  toast->show();
  connect(toast, &QObject::destroyed, this,
          [this] { QTimer::singleShot(0, this, [this] { place(); }); });
  const auto all = findChildren<QFrame*>(QStringLiteral("toast"), Qt::FindDirectChildrenOnly);
  if (all.size() > most_at_once) all.front()->deleteLater();
  place();
}

QStringList Toasts::texts() const {
  QStringList texts;
  for (int at = 0; at < layout_->count(); ++at) {
    texts.push_back(static_cast<Toast*>(layout_->itemAt(at)->widget())->text());
  }
  return texts;
}

void Toasts::place() {
  setVisible(layout_->count() > 0);
  if (isHidden()) return;
  layout_->activate();
  const QSize size = layout_->totalSizeHint();
  const QSize room = parentWidget()->size();
  setGeometry(room.width() - size.width() - 2 * grid, room.height() - size.height() - 2 * grid,
              size.width(), size.height());
  raise();
}

bool Toasts::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) place();
  return QWidget::eventFilter(watched, event);
}

}  // namespace dt::gui
