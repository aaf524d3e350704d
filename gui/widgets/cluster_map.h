// Agents as cards and their slots as tiles: free, or in the colour of the trial that holds it. A
// click opens the trial; arrows and Enter do the same. The dots of a card, a right click and the
// menu key ask for the menu. GUI thread only.
#pragma once

#include <QAbstractScrollArea>
#include <functional>
#include <vector>

#include "gui/data/links.h"
#include "gui/data/slot_map.h"

class QPainter;

namespace dt::gui {

class ClusterMap : public QAbstractScrollArea {
  Q_OBJECT

 public:
  // The colour of a trial in charts.
  using ColorOf = std::function<QColor(std::int64_t trial)>;
  explicit ClusterMap(ColorOf color_of, QWidget* parent = nullptr);

  void set_agents(std::vector<AgentRow> agents);
  const std::vector<AgentRow>& agents() const { return agents_; }

 Q_SIGNALS:
  void opened(const dt::gui::Link& link);
  // Of an agent, and of one of its slots if it was on that; −1: not on one.
  void menu_wanted(int agent, int slot, const QPoint& global);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void lay_out_again();
  void paint_card(QPainter& painter, std::size_t agent) const;
  void paint_tile(QPainter& painter, std::size_t tile) const;
  const SlotRow& slot_of(const SlotTile& tile) const;
  Link link_of(const SlotTile& tile) const;
  int tile_at(const QPoint& at) const;  // −1: none
  int card_at(const QPoint& at) const;
  bool is_on_dots(const QPoint& at) const;
  void ask_for_menu(const QPoint& at, int tile);
  QPoint offset() const;
  void set_current(int tile);

  ColorOf color_of_;
  std::vector<AgentRow> agents_;
  SlotMap map_;
  int current_ = -1;  // the tile below the pointer or the keys
};

}  // namespace dt::gui
