// The places on the left: icon and word, Ctrl+1…; below them what concerns the window itself.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "gui/data/page_id.h"
#include "gui/widgets/icons.h"

class QButtonGroup;
class QToolButton;
class QVBoxLayout;

namespace dt::gui {

class Rail : public QWidget {
  Q_OBJECT

 public:
  explicit Rail(const std::vector<Place>& places, QWidget* parent = nullptr);

  // Which place is in front, if any is.
  void show_current(std::optional<Place> place);

 Q_SIGNALS:
  void place_wanted(dt::gui::Place place);
  void theme_wanted();
  void help_wanted();

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QToolButton* add_button(QVBoxLayout& layout, Icon picture, const QString& text,
                          const QString& tip);

  std::vector<Place> places_;
  QButtonGroup* buttons_;
};

Icon icon_of(Place place);

}  // namespace dt::gui
