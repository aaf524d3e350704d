#include "gui/widgets/header_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include "gui/data/format.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/state_label.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int bar_height = 44;
constexpr int search_width = 320;

}  // namespace

HeaderBar::HeaderBar(QWidget* parent) : QWidget(parent) {
  setFixedHeight(bar_height);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(2 * grid, 0, grid, 0);
  layout->setSpacing(grid);
  auto* product = new QLabel(QStringLiteral("Dovetail"), this);
  QFont font = bold_font();
  font.setPixelSize(15);
  product->setFont(font);
  layout->addWidget(product);
  layout->addSpacing(2 * grid);
  back_ = flat_button(Icon::back, QStringLiteral("Back (Alt+Left)"));
  forward_ = flat_button(Icon::forward, QStringLiteral("Forward (Alt+Right)"));
  layout->addWidget(back_);
  layout->addWidget(forward_);
  layout->addSpacing(grid);
  master_ = new QLabel(this);
  master_->setTextFormat(Qt::PlainText);
  master_->setProperty("faint", true);
  layout->addWidget(master_);
  state_ = new StateLabel(this);
  layout->addWidget(state_);
  layout->addStretch();
  search_ = new QPushButton(icon(Icon::search), QStringLiteral("Search or command"), this);
  search_->setProperty("search", true);
  search_->setFocusPolicy(Qt::NoFocus);
  search_->setFixedWidth(search_width);
  search_->setToolTip(QStringLiteral("Go anywhere, do anything (Ctrl+K)"));
  auto* key = new QLabel(QStringLiteral("Ctrl+K"), search_);
  key->setProperty("faint", true);
  key->setAttribute(Qt::WA_TransparentForMouseEvents);
  auto* inside = new QHBoxLayout(search_);
  inside->setContentsMargins(0, 0, grid, 0);
  inside->addStretch();
  inside->addWidget(key);
  layout->addWidget(search_);
  connection_ = flat_button(Icon::settings, QStringLiteral("Connection and window"));
  layout->addWidget(connection_);
  connect(search_, &QPushButton::clicked, this, &HeaderBar::palette_wanted);
  connect(back_, &QToolButton::clicked, this, &HeaderBar::back_wanted);
  connect(forward_, &QToolButton::clicked, this, &HeaderBar::forward_wanted);
  connect(connection_, &QToolButton::clicked, this, &HeaderBar::menu_wanted);
  enable_history(false, false);
}

QToolButton* HeaderBar::flat_button(Icon picture, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setIcon(icon(picture));
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setProperty("flat", true);
  button->setFocusPolicy(Qt::NoFocus);
  return button;
}

QPoint HeaderBar::menu_place() const {
  return connection_->mapToGlobal(QPoint(0, connection_->height()));
}

void HeaderBar::show_master(const QString& name, const QString& tip) {
  master_->setText(one_line(name, 60));
  master_->setToolTip(tip_text(one_line(tip, 200)));
}

void HeaderBar::show_state(const QString& word) { state_->show_state(word); }

void HeaderBar::enable_history(bool back, bool forward) {
  back_->setEnabled(back);
  forward_->setEnabled(forward);
}

void HeaderBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().surface);
  painter.setPen(theme().line);
  painter.drawLine(rect().bottomLeft(), rect().bottomRight());
}

}  // namespace dt::gui
