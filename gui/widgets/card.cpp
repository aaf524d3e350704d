#include "gui/widgets/card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int radius = 6;
constexpr int inset = grid + half_grid;

QLabel* plain_label(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  return label;
}

}  // namespace

Card::Card(const QString& title, QWidget* parent) : QFrame(parent) {
  title_ = plain_label(this);
  title_->setFont(bold_font());
  title_->setText(title);
  word_ = plain_label(this);
  word_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  heading_ = new QHBoxLayout;
  heading_->setSpacing(grid);
  heading_->addWidget(title_);
  heading_->addStretch(1);
  heading_->addWidget(word_);
  body_ = new QVBoxLayout;
  body_->setSpacing(grid);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(inset, grid, inset, inset);
  layout->setSpacing(grid);
  layout->addLayout(heading_);
  layout->addLayout(body_, 1);
}

void Card::set_title(const QString& title) { title_->setText(title); }

void Card::set_word(const QString& word) { word_->setText(word); }

void Card::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(theme().line);
  painter.setBrush(theme().surface);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
}

FaintLabel::FaintLabel(const QString& text, QWidget* parent) : QFrame(parent) {
  label_ = plain_label(this);
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(label_);
  recolor();
  set_text(text);
}

void FaintLabel::set_text(const QString& text) {
  label_->setText(plain(text));
  setVisible(!text.isEmpty());
}

QString FaintLabel::text() const { return label_->text(); }

void FaintLabel::set_bad(bool is_bad) {
  is_bad_ = is_bad;
  recolor();
}

void FaintLabel::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) recolor();
}

// The style sheet has the colours.
void FaintLabel::recolor() {
  if (label_->property("bad") == is_bad_ && label_->property("faint").isValid()) return;
  label_->setProperty("bad", is_bad_);
  label_->setProperty("faint", !is_bad_);
  label_->style()->unpolish(label_);
  label_->style()->polish(label_);
}

}  // namespace dt::gui
