#include "gui/widgets/rungs_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int line_height = 24;
constexpr int words_height = 16;  // below the bar: beside it a narrow window would cut them
constexpr int bar_height = 12;
constexpr int least_bar = 80;

}  // namespace

struct RungsView::Line {
  QString title;  // of a bracket; empty: a rung
  const RungBar* rung = nullptr;
  int height = line_height;
};

RungsView::RungsView(QWidget* parent) : QWidget(parent) {
  setObjectName(u"rungs"_s);
  setAccessibleName(u"Rungs of the search"_s);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void RungsView::set_picture(const SearchPicture& picture) {
  if (picture == picture_) return;
  picture_ = picture;
  QStringList words;
  for (const RungBar& rung : picture_.rungs) words += unit_words(rung) + u": "_s + rung_words(rung);
  setAccessibleDescription(words.join(u"; "_s));
  updateGeometry();
  update();
}

std::vector<RungsView::Line> RungsView::lines() const {
  std::vector<Line> lines;
  const bool has_brackets =
      !picture_.rungs.empty() && picture_.rungs.front().bracket != picture_.rungs.back().bracket;
  int bracket = -1;
  for (const RungBar& rung : picture_.rungs) {
    if (has_brackets && rung.bracket != bracket) {
      lines.push_back({.title = u"Bracket "_s + QString::number(rung.bracket + 1)});
    }
    bracket = rung.bracket;
    lines.push_back(
        {.title = {}, .rung = &rung, .height = line_height + (rung.is_plan ? 0 : words_height)});
  }
  return lines;
}

QString RungsView::unit_words(const RungBar& rung) const {
  return rung.units + u' ' + one_line(picture_.unit, 20);
}

int RungsView::label_width() const {
  int width = 0;
  for (const RungBar& rung : picture_.rungs) {
    width = std::max(width, fontMetrics().horizontalAdvance(unit_words(rung)));
  }
  return width;
}

// Beside the bar of a plan; below that of a search.
QString RungsView::side_words(const RungBar& rung) {
  return rung.is_plan ? rung_words(rung) : integer(rung.trials);
}

int RungsView::side_width() const {
  int width = 0;
  for (const RungBar& rung : picture_.rungs) {
    width = std::max(width, fontMetrics().horizontalAdvance(side_words(rung)));
  }
  return width;
}

QSize RungsView::minimumSizeHint() const {
  int height = 0;
  for (const Line& line : lines()) height += line.height;
  return {label_width() + least_bar + side_width() + 2 * grid, height};
}

QSize RungsView::sizeHint() const { return minimumSizeHint() + QSize(least_bar, 0); }

void RungsView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  int top = 0;
  for (const Line& line : lines()) {
    const QRect place(0, top, width(), line_height);
    if (line.rung != nullptr) {
      paint_rung(painter, place, *line.rung);
    } else {
      painter.setPen(theme().faint);
      painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, line.title);
    }
    top += line.height;
  }
}

void RungsView::paint_rung(QPainter& painter, const QRect& place, const RungBar& rung) const {
  const int label = label_width();
  const int side = side_width();
  painter.setPen(theme().text);
  painter.drawText(place.adjusted(0, 0, label - place.width(), 0),
                   Qt::AlignRight | Qt::AlignVCenter, unit_words(rung));
  painter.drawText(place.adjusted(place.width() - side, 0, 0, 0), Qt::AlignRight | Qt::AlignVCenter,
                   side_words(rung));
  const QRect bar = place.adjusted(label + grid, 0, -side - grid, 0);
  if (!rung.is_plan) {
    painter.setPen(theme().faint);
    const QRect below(bar.left(), place.bottom() - half_grid, width() - bar.left(), words_height);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(fate_words(rung), Qt::ElideRight, below.width()));
  }
  paint_bar(painter, bar, rung);
}

// One stretch for each fate; what has none yet is still on its way.
void RungsView::paint_bar(QPainter& painter, const QRect& place, const RungBar& rung) const {
  int most = 1;
  for (const RungBar& each : picture_.rungs) most = std::max(most, each.trials);
  const QRect track(place.left(), place.center().y() - bar_height / 2, place.width(), bar_height);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme().hover);
  painter.drawRoundedRect(track, 3, 3);
  const double pixels = static_cast<double>(track.width()) / most;
  double left = track.left();
  const auto stretch = [&](int trials, const QColor& color) {
    if (trials <= 0) return;
    painter.setBrush(color);
    painter.drawRoundedRect(
        QRectF(left, track.top(), std::max(2.0, trials * pixels - 1), bar_height), 3, 3);
    left += trials * pixels;
  };
  if (rung.is_plan) return stretch(rung.trials, theme().accent);
  stretch(rung.continued, theme().good);
  stretch(rung.paused, theme().warning);
  stretch(rung.stopped, theme().faint);
  stretch(rung.trials - rung.continued - rung.paused - rung.stopped, theme().busy);
}

bool RungsView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const RungBar* under = nullptr;
  int top = 0;
  for (const Line& line : lines()) {
    if (help->pos().y() >= top) under = line.rung;
    top += line.height;
  }
  if (under == nullptr || help->pos().y() >= top) return QToolTip::hideText(), true;
  const RungBar& rung = *under;
  QString words = unit_words(rung) + u": "_s + rung_words(rung);
  if (!rung.best.isEmpty()) words += u" · best "_s + rung.best;
  QToolTip::showText(help->globalPos(), words.toHtmlEscaped(), this);
  return true;
}

}  // namespace dt::gui
