#include "gui/widgets/rail.h"

#include <QButtonGroup>
#include <QPainter>
#include <QShortcut>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int rail_width = 160;
constexpr int button_height = 34;
constexpr int icon_side = 18;

}  // namespace

Icon icon_of(Place place) {
  switch (place) {
    case Place::experiments: return Icon::experiments;
    case Place::compare: return Icon::compare;
    case Place::launch: return Icon::launch;
    case Place::queue: return Icon::queue;
    case Place::cluster: return Icon::cluster;
    case Place::logs: return Icon::logs;
  }
  return Icon::dot;
}

Rail::Rail(const std::vector<Place>& places, QWidget* parent)
    : QWidget(parent), places_(places), buttons_(new QButtonGroup(this)) {
  setFixedWidth(rail_width);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(grid, grid, grid, grid);
  layout->setSpacing(half_grid / 2);
  int number = 0;
  for (const Place place : places_) {
    const QString key = QStringLiteral("Ctrl+%1").arg(++number);
    QToolButton* button = add_button(*layout, icon_of(place), title_of(place),
                                     QStringLiteral("%1 (%2)").arg(title_of(place), key));
    button->setCheckable(true);
    buttons_->addButton(button, number - 1);
    connect(button, &QToolButton::clicked, this, [this, place] { Q_EMIT place_wanted(place); });
    auto* shortcut = new QShortcut(QKeySequence(key), this);
    connect(shortcut, &QShortcut::activated, this, [this, place] { Q_EMIT place_wanted(place); });
  }
  layout->addStretch();
  connect(add_button(*layout, Icon::theme, QStringLiteral("Theme"),
                     QStringLiteral("Light, dark, or as the desktop has it")),
          &QToolButton::clicked, this, &Rail::theme_wanted);
  connect(add_button(*layout, Icon::help, QStringLiteral("Keys"), QStringLiteral("All keys (?)")),
          &QToolButton::clicked, this, &Rail::help_wanted);
}

QToolButton* Rail::add_button(QVBoxLayout& layout, Icon picture, const QString& text,
                              const QString& tip) {
  auto* button = new QToolButton(this);
  button->setIcon(icon(picture));
  button->setIconSize({icon_side, icon_side});
  button->setText(QStringLiteral(" ") + text);
  button->setToolTip(tip);
  button->setAccessibleName(text);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setProperty("rail", true);
  button->setFocusPolicy(Qt::NoFocus);
  button->setFixedHeight(button_height);
  button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  layout.addWidget(button);
  return button;
}

void Rail::show_current(std::optional<Place> place) {
  buttons_->setExclusive(false);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    buttons_->button(static_cast<int>(i))->setChecked(place == places_[i]);
  }
  buttons_->setExclusive(place.has_value());
}

void Rail::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(theme().line);
  painter.drawLine(rect().topRight(), rect().bottomRight());
}

}  // namespace dt::gui
