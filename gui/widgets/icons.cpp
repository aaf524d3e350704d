#include "gui/widgets/icons.h"

#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QStringList>
#include <optional>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

// What can be done with an experiment, in the words of drawing().
const char* drawing_of_order(Icon name) {
  switch (name) {
    case Icon::pause: return "M 5.5 3.5 L 5.5 12.5 M 10.5 3.5 L 10.5 12.5";
    case Icon::play: return "M 5 3 L 12.5 8 L 5 13 Z";
    case Icon::stop: return "R 3.5 3.5 9 9 1";
    case Icon::kill: return "O 8 8 6 M 5.8 5.8 L 10.2 10.2 M 10.2 5.8 L 5.8 10.2";
    case Icon::fork:
      return "O 4.5 3.5 1.5 O 11.5 3.5 1.5 O 8 12.5 1.5 M 4.5 5 C 4.5 8 8 7.5 8 11 M 11.5 5 C 11.5 "
             "8 8 7.5 8 11";
    case Icon::archive:
      return "R 2 2.5 12 3.5 1 M 3 6 L 3 12.5 C 3 13.2 3.3 13.5 4 13.5 L 12 13.5 C 12.7 13.5 13 "
             "13.2 13 12.5 L 13 6 M 6.5 9 L 9.5 9";
    case Icon::erase:
      return "M 2.5 4.5 L 13.5 4.5 M 6 4.5 L 6 2.5 L 10 2.5 L 10 4.5 M 4 4.5 L 4.7 13.5 L 11.3 "
             "13.5 L 12 4.5 M 6.6 7.5 L 6.9 11 M 9.4 7.5 L 9.1 11";
    default: return "";
  }
}

// M x y, L x y, C (six), Z as in SVG; O x y r a circle, D x y r a filled one, R x y w h r a
// rectangle with round corners.
const char* drawing(Icon name) {
  switch (name) {
    case Icon::experiments:
      return "M 6 2 L 10 2 M 6.8 2 L 6.8 6 L 3 12.5 C 2.6 13.3 3 14 4 14 L 12 14 C 13 14 13.4 13.3 "
             "13 12.5 L 9.2 6 L 9.2 2 M 5 10 L 11 10";
    case Icon::compare:
      return "M 2 2 L 2 14 L 14 14 M 4 11 C 6 4 8 4 13 3 M 4 5 C 7 9 9 11 13 10.5";
    case Icon::launch:
      return "M 8 2 C 11 4 11.5 7 10.5 10 L 5.5 10 C 4.5 7 5 4 8 2 Z M 5.2 7.5 L 3 10 L 3 12 L 5.5 "
             "10.5 M 10.8 7.5 L 13 10 L 13 12 L 10.5 10.5 M 8 12 L 8 14 D 8 6 1";
    case Icon::queue: return "M 6 4 L 14 4 M 6 8 L 14 8 M 6 12 L 14 12 D 3 4 1 D 3 8 1 D 3 12 1";
    case Icon::cluster:
      return "R 2 2 12 5 1 R 2 9 12 5 1 D 4.8 4.5 0.8 D 4.8 11.5 0.8 M 8 4.5 L 11.5 4.5 M 8 11.5 L "
             "11.5 11.5";
    case Icon::logs: return "R 2 2.5 12 11 1.5 M 4.5 6 L 6.5 8 L 4.5 10 M 8 10.5 L 11.5 10.5";
    case Icon::search: return "O 7 7 4.2 M 10.2 10.2 L 14 14";
    case Icon::settings:
      return "M 2 4.5 L 8 4.5 M 12 4.5 L 14 4.5 O 10 4.5 1.8 M 2 11.5 L 4 11.5 M 8 11.5 L 14 11.5 "
             "O 6 11.5 1.8";
    case Icon::theme: return "O 8 8 5.5 D 8 8 2.5 M 8 2.5 L 8 13.5";
    case Icon::help: return "O 8 8 6 M 6 6.3 C 6 3.6 10 3.8 10 6.3 C 10 8 8 8 8 9.6 D 8 11.6 0.7";
    case Icon::back: return "M 13 8 L 3 8 M 7 4 L 3 8 L 7 12";
    case Icon::open:
    case Icon::forward: return "M 3 8 L 13 8 M 9 4 L 13 8 L 9 12";
    case Icon::close: return "M 4 4 L 12 12 M 12 4 L 4 12";
    case Icon::tear_off:
      return "M 9 2.5 L 13.5 2.5 L 13.5 7 M 13.5 2.5 L 8 8 M 12 9.5 L 12 12.5 C 12 13.2 11.7 13.5 "
             "11 13.5 L 3.5 13.5 C 2.8 13.5 2.5 13.2 2.5 12.5 L 2.5 5 C 2.5 4.3 2.8 4 3.5 4 L 6.5 "
             "4";
    case Icon::dock_back:
      return "M 13.5 2.5 L 8 8 M 8 3.5 L 8 8 L 12.5 8 M 12 11 L 12 12.5 C 12 13.2 11.7 13.5 11 "
             "13.5 L 3.5 13.5 C 2.8 13.5 2.5 13.2 2.5 12.5 L 2.5 5 C 2.5 4.3 2.8 4 3.5 4 L 5 4";
    case Icon::split: return "R 2 2.5 12 11 1.5 M 8 2.5 L 8 13.5";
    case Icon::pause:
    case Icon::play:
    case Icon::stop:
    case Icon::kill:
    case Icon::fork:
    case Icon::archive:
    case Icon::erase: return drawing_of_order(name);
    case Icon::copy:
      return "R 5.5 5.5 8 8 1.2 M 3.5 10.5 L 3 10.5 C 2.6 10.5 2.5 10.2 2.5 9.8 L 2.5 3.5 C 2.5 "
             "2.8 2.8 2.5 3.5 2.5 L 9.8 2.5 C 10.2 2.5 10.5 2.6 10.5 3 L 10.5 3.5";
    case Icon::refresh:
      return "M 13 8 C 13 11 10.8 13 8 13 C 5.2 13 3 10.8 3 8 C 3 5.2 5.2 3 8 3 C 10 3 11.6 4 12.5 "
             "5.5 M 13 2.5 L 12.7 5.7 L 9.5 5.5";
    case Icon::filter: return "M 2 3 L 14 3 L 9.5 8.5 L 9.5 13.5 L 6.5 12 L 6.5 8.5 Z";
    case Icon::columns: return "R 2 2.5 12 11 1 M 6 2.5 L 6 13.5 M 10 2.5 L 10 13.5";
    case Icon::pin:
      return "M 5.5 2.5 L 10.5 2.5 M 6 2.5 L 6 7 L 4 9.5 L 12 9.5 L 10 7 L 10 2.5 M 8 9.5 L 8 14";
    case Icon::save:
      return "M 8 2.5 L 8 10 M 4.8 7 L 8 10.2 L 11.2 7 M 2.5 11 L 2.5 13.5 L 13.5 13.5 L 13.5 11";
    case Icon::folder:
      return "M 2 4.5 C 2 3.8 2.3 3.5 3 3.5 L 6 3.5 L 7.5 5 L 13 5 C 13.7 5 14 5.3 14 6 L 14 12 C "
             "14 12.7 13.7 13 13 13 L 3 13 C 2.3 13 2 12.7 2 12 Z";
    case Icon::warning: return "M 8 2.5 L 14.5 13.5 L 1.5 13.5 Z M 8 6.5 L 8 9.5 D 8 11.6 0.8";
    case Icon::offline:
      return "M 2 2 L 14 14 M 4.5 5.5 C 3 6 2 7.3 2 9 C 2 11.2 3.6 12.5 5.5 12.5 L 11.5 12.5 M 7 4 "
             "C 9.5 3.4 11.5 5 11.8 7.2 C 13.2 7.5 14 8.6 14 10 C 14 10.6 13.8 11.2 13.5 11.6";
    case Icon::info: return "O 8 8 6 M 8 7.5 L 8 11.2 D 8 5 0.8";
    case Icon::check: return "M 3 8.5 L 6.5 12 L 13 4.5";
    case Icon::empty:
      return "M 2.5 9 L 4.5 3.5 L 11.5 3.5 L 13.5 9 L 13.5 12.5 L 2.5 12.5 Z M 2.5 9 L 6 9 C 6 "
             "11.2 10 11.2 10 9 L 13.5 9";
    case Icon::dot: return "D 8 8 3";
    case Icon::more: return "D 3.5 8 1.2 D 8 8 1.2 D 12.5 8 1.2";
    case Icon::expand: return "M 3.5 6 L 8 10.5 L 12.5 6";
  }
  return "";
}

struct Drawing {
  QPainterPath lines;
  QPainterPath filled;
};

class Pen {
 public:
  explicit Pen(const char* text)
      : words_(QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {}

  Drawing draw() {
    while (at_ < words_.size()) stroke(words_[at_++].at(0).toLatin1());
    return std::move(drawing_);
  }

 private:
  qreal next() { return words_[at_++].toDouble(); }
  QPointF point() {
    const qreal x = next();
    return {x, next()};
  }
  void stroke(char command) {
    QPainterPath& lines = drawing_.lines;
    if (command == 'M') lines.moveTo(point());
    if (command == 'L') lines.lineTo(point());
    if (command == 'Z') lines.closeSubpath();
    if (command == 'C') {
      const QPointF first = point();
      const QPointF second = point();
      lines.cubicTo(first, second, point());
    }
    if (command == 'O' || command == 'D') {
      const QPointF center = point();
      const qreal radius = next();
      (command == 'O' ? lines : drawing_.filled).addEllipse(center, radius, radius);
    }
    if (command == 'R') {
      const QPointF corner = point();
      const QPointF size = point();
      const qreal radius = next();
      lines.addRoundedRect(QRectF(corner, QSizeF(size.x(), size.y())), radius, radius);
    }
  }

  QStringList words_;
  qsizetype at_ = 0;
  Drawing drawing_;
};

class Engine : public QIconEngine {
 public:
  Engine(Icon name, std::optional<QColor> color) : name_(name), color_(color) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    QColor color = color_.value_or(theme().text);
    if (!color_ && state == QIcon::On) color = theme().accent;
    if (mode == QIcon::Disabled) color.setAlphaF(0.4f);
    paint_icon(*painter, name_, rect, color);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect({}, size), mode, state);
    return pixmap;
  }
  QIconEngine* clone() const override { return new Engine(name_, color_); }

 private:
  Icon name_;
  std::optional<QColor> color_;
};

}  // namespace

QIcon icon(Icon name) { return QIcon(new Engine(name, std::nullopt)); }

QIcon icon(Icon name, const QColor& color) { return QIcon(new Engine(name, color)); }

void paint_icon(QPainter& painter, Icon name, const QRectF& where, const QColor& color) {
  const qreal side = std::min(where.width(), where.height());
  const Drawing drawing = Pen(gui::drawing(name)).draw();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(where.center() - QPointF(side / 2, side / 2));
  painter.scale(side / 16, side / 16);
  painter.setPen(QPen(color, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(drawing.lines);
  painter.fillPath(drawing.filled, color);
  painter.restore();
}

}  // namespace dt::gui
