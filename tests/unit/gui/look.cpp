#include "tests/unit/gui/look.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QHash>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTableView>
#include <QToolButton>
#include <cmath>

#include "gui/widgets/state_label.h"

namespace dt::gui {
namespace {

constexpr double least_contrast = 4.5;
constexpr int header_padding = 16;

QString text_of(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* button = qobject_cast<const QToolButton*>(&widget)) {
    return button->toolButtonStyle() == Qt::ToolButtonIconOnly ? QString() : button->text();
  }
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  if (const auto* label = qobject_cast<const StateLabel*>(&widget)) return label->word();
  return {};
}

QString name_of(const QWidget& widget) {
  return QStringLiteral("%1 “%2” (%3×%4)")
      .arg(QLatin1String(widget.metaObject()->className()), text_of(widget).left(60))
      .arg(widget.width())
      .arg(widget.height());
}

std::vector<QWidget*> seen_in(const QWidget& window) {
  std::vector<QWidget*> seen;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (widget->isVisibleTo(&window) && !widget->visibleRegion().isEmpty()) seen.push_back(widget);
  }
  return seen;
}

bool fits(const QLabel& label) {
  const QRect room = label.contentsRect();
  if (label.wordWrap()) return label.heightForWidth(label.width()) <= label.height() + 1;
  QString text = label.text();
  if (label.buddy()) text.remove(QLatin1Char('&'));  // marks the key, is not shown
  const QStringList lines = text.split(QLatin1Char('\n'));
  int width = 0;
  for (const QString& line : lines) {
    width = std::max(width, label.fontMetrics().horizontalAdvance(line));
  }
  const int height = static_cast<int>(lines.size()) * label.fontMetrics().height();
  return width <= room.width() + 1 && height <= room.height() + 2;
}

// A title that is cut with "…" and told in full by a tip is not clipped.
void check_headings(const QHeaderView& header, QStringList& faults) {
  if (header.orientation() != Qt::Horizontal || header.isHidden()) return;
  for (int section = 0; section < header.count(); ++section) {
    if (header.isSectionHidden(section)) continue;
    const QString title = header.model()->headerData(section, Qt::Horizontal).toString();
    const int wanted = header.fontMetrics().horizontalAdvance(title) + header_padding;
    if (wanted <= header.sectionSize(section)) continue;
    faults.push_back(QStringLiteral("column “%1” needs %2 px and has %3")
                         .arg(title)
                         .arg(wanted)
                         .arg(header.sectionSize(section)));
  }
}

double luminance(const QColor& color) {
  const auto linear = [](double part) {
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

// The ground is the colour that most pixels have, the text what differs most from it.
double contrast_in(const QImage& image) {
  QHash<QRgb, int> counts;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) ++counts[image.pixel(x, y)];
  }
  QRgb ground = 0;
  int most = 0;
  for (auto it = counts.cbegin(); it != counts.cend(); ++it) {
    if (it.value() > most) std::tie(ground, most) = std::pair(it.key(), it.value());
  }
  double best = 1;
  for (auto it = counts.cbegin(); it != counts.cend(); ++it) {
    best = std::max(best, contrast(QColor(it.key()), QColor(ground)));
  }
  return best;
}

bool is_control(const QWidget& widget) {
  return !text_of(widget).isEmpty() || qobject_cast<const QLineEdit*>(&widget) ||
         qobject_cast<const QAbstractButton*>(&widget) ||
         qobject_cast<const QAbstractItemView*>(&widget);
}

}  // namespace

QImage picture_of(QWidget& window, qreal scale) {
  QImage image((QSizeF(window.size()) * scale).toSize(), QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  window.render(&image);
  return image;
}

QStringList clipped_in(const QWidget& window) {
  QStringList faults;
  for (const QWidget* widget : seen_in(window)) {
    if (const auto* header = qobject_cast<const QHeaderView*>(widget)) {
      check_headings(*header, faults);
    }
    if (const auto* bar = qobject_cast<const QTabBar*>(widget)) {
      for (int tab = 0; tab < bar->count(); ++tab) {
        const int wanted = bar->fontMetrics().horizontalAdvance(bar->tabText(tab));
        if (bar->isTabVisible(tab) && bar->tabRect(tab).width() < wanted) {
          faults.push_back(QStringLiteral("tab “%1”").arg(bar->tabText(tab)));
        }
      }
    }
    if (text_of(*widget).isEmpty()) continue;
    const auto* label = qobject_cast<const QLabel*>(widget);
    const bool has_room = label ? fits(*label) : widget->sizeHint().width() <= widget->width() + 1;
    if (!has_room) faults.push_back(QStringLiteral("clipped: ") + name_of(*widget));
  }
  return faults;
}

QStringList overlaps_in(const QWidget& window) {
  QStringList faults;
  const std::vector<QWidget*> seen = seen_in(window);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    for (std::size_t j = i + 1; j < seen.size(); ++j) {
      const bool are_siblings = seen[i]->parentWidget() == seen[j]->parentWidget();
      if (!are_siblings || !is_control(*seen[i]) || !is_control(*seen[j])) continue;
      if (!seen[i]->geometry().intersects(seen[j]->geometry())) continue;
      faults.push_back(name_of(*seen[i]) + QStringLiteral(" overlaps ") + name_of(*seen[j]));
    }
  }
  return faults;
}

QStringList faint_in(QWidget& window) {
  QStringList faults;
  const QImage image = picture_of(window, 2);  // thin strokes keep their colour
  for (QWidget* widget : seen_in(window)) {
    if (text_of(*widget).trimmed().isEmpty() || !widget->isEnabled()) continue;
    const QRect rect(widget->mapTo(&window, QPoint()), widget->size());
    const QRect part = rect.intersected(window.rect());
    if (part.width() < 4 || part.height() < 4) continue;
    const double ratio = contrast_in(image.copy(QRect(part.topLeft() * 2, part.size() * 2))
                                         .convertToFormat(QImage::Format_RGB32));
    if (ratio >= least_contrast) continue;
    faults.push_back(QStringLiteral("%1 has %2:1").arg(name_of(*widget)).arg(ratio, 0, 'f', 2));
  }
  return faults;
}

double contrast(const QColor& a, const QColor& b) {
  const double first = luminance(a) + 0.05;
  const double second = luminance(b) + 0.05;
  return std::max(first, second) / std::min(first, second);
}

QString words_in(const QWidget& window) {
  QStringList words;
  for (const QWidget* widget : seen_in(window)) {
    if (const QString text = text_of(*widget); !text.isEmpty()) words.push_back(text);
    if (const auto* edit = qobject_cast<const QLineEdit*>(widget)) words.push_back(edit->text());
    if (const auto* edit = qobject_cast<const QPlainTextEdit*>(widget)) {
      words.push_back(edit->toPlainText());
    }
    if (const auto* bar = qobject_cast<const QTabBar*>(widget)) {
      for (int tab = 0; tab < bar->count(); ++tab) words.push_back(bar->tabText(tab));
    }
    const auto* view = qobject_cast<const QAbstractItemView*>(widget);
    if (view == nullptr || view->model() == nullptr || qobject_cast<const QHeaderView*>(view)) {
      continue;
    }
    for (int row = 0; row < std::min(view->model()->rowCount(), 100); ++row) {
      for (int column = 0; column < view->model()->columnCount(); ++column) {
        words.push_back(view->model()->index(row, column).data().toString());
      }
    }
  }
  return words.join(QLatin1Char('\n'));
}

}  // namespace dt::gui
