#include "gui/widgets/cluster_map.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "gui/data/format.h"
#include "gui/widgets/cell_delegate.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

constexpr int card_padding = 16;
constexpr int stripe = 4;

constexpr int line_height = 18;

// Where a card is asked for its menu.
QRect dots_of(const QRect& card) {
  return {card.right() - card_padding - 2 * grid + half_grid, card.top() + 12, 2 * grid,
          line_height};
}

QString holder_of(const SlotRow& slot) {
  if (slot.allocation.isEmpty()) {
    if (slot.is_disabled) return QStringLiteral("disabled");
    return slot.fault.isEmpty() ? QStringLiteral("free") : QStringLiteral("fault");
  }
  if (slot.trial == 0) return QStringLiteral("in use");
  return QStringLiteral("trial %1").arg(slot.trial);
}

void draw_text(QPainter& painter, const QRect& rect, int flags, const QString& text) {
  painter.drawText(rect, flags | Qt::TextSingleLine,
                   painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

}  // namespace

ClusterMap::ClusterMap(ColorOf color_of, QWidget* parent)
    : QAbstractScrollArea(parent), color_of_(std::move(color_of)) {
  setFrameShape(NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setMouseTracking(true);
  viewport()->setAutoFillBackground(false);
  setAccessibleName(QStringLiteral("Agents and their slots"));
}

void ClusterMap::set_agents(std::vector<AgentRow> agents) {
  if (agents == agents_) return;
  agents_ = std::move(agents);
  lay_out_again();
}

void ClusterMap::lay_out_again() {
  map_ = lay_out(agents_, viewport()->width());
  if (current_ >= static_cast<int>(map_.tiles.size())) current_ = -1;
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(3 * grid);
  verticalScrollBar()->setRange(0, std::max(0, map_.height - viewport()->height()));
  viewport()->update();
}

void ClusterMap::resizeEvent(QResizeEvent*) { lay_out_again(); }

QPoint ClusterMap::offset() const { return {0, verticalScrollBar()->value()}; }

void ClusterMap::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.fillRect(event->rect(), theme().window);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.translate(-offset());
  const QRect seen = event->rect().translated(offset());
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    if (map_.cards[agent].intersects(seen)) paint_card(painter, agent);
  }
  for (std::size_t tile = 0; tile < map_.tiles.size(); ++tile) {
    if (map_.tiles[tile].rect.intersects(seen)) paint_tile(painter, tile);
  }
}

void ClusterMap::paint_card(QPainter& painter, std::size_t at) const {
  const AgentRow& agent = agents_[at];
  const QRect card = map_.cards[at];
  painter.setPen(theme().line);
  painter.setBrush(theme().surface);
  painter.drawRoundedRect(QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  const QRect dots = dots_of(card);
  paint_icon(painter, Icon::more, dots, theme().faint);
  const QRect line(card.left() + card_padding, dots.top(),
                   dots.left() - grid - card.left() - card_padding, line_height);
  const QString state = state_of(agent);
  const int state_width = painter.fontMetrics().horizontalAdvance(state);
  painter.setPen(theme().text);
  painter.setFont(bold_font());
  draw_text(painter, line.adjusted(0, 0, -state_width - 3 * grid, 0),
            Qt::AlignLeft | Qt::AlignVCenter, one_line(agent.name, 60));
  painter.setFont(font());
  draw_text(painter, line, Qt::AlignRight | Qt::AlignVCenter, state);
  paint_dot(painter, QRectF(line.right() - state_width - 14, line.top(), grid, line.height()),
            state);
  painter.setPen(theme().faint);
  draw_text(
      painter, line.translated(0, line_height), Qt::AlignLeft | Qt::AlignVCenter,
      QStringLiteral("%1, pool %2, %3")
          .arg(one_line(agent.address, 40), one_line(agent.pool, 30),
               plural(static_cast<std::int64_t>(agent.slots.size()), QStringLiteral("slot"))));
}

void ClusterMap::paint_tile(QPainter& painter, std::size_t at) const {
  const SlotTile& tile = map_.tiles[at];
  const SlotRow& slot = slot_of(tile);
  const bool is_used = !slot.allocation.isEmpty();
  const bool is_current = static_cast<int>(at) == current_;
  const QRectF rect = QRectF(tile.rect).adjusted(0.5, 0.5, -0.5, -0.5);
  painter.setPen(is_current ? theme().accent : theme().line);
  painter.setBrush(is_used ? theme().hover : theme().surface);
  painter.drawRoundedRect(rect, 4, 4);
  if (is_used || !slot.fault.isEmpty()) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(slot.fault.isEmpty() ? color_of_(slot.trial) : theme().bad);
    painter.drawRoundedRect(QRectF(rect.left() + 4, rect.top() + 6, stripe, rect.height() - 12), 2,
                            2);
  }
  const QRect words = tile.rect.adjusted(stripe + grid, 4, -4, -4);
  painter.setFont(font());
  painter.setPen(theme().faint);
  const bool leaves = is_used && slot.is_disabled;
  draw_text(painter, words, Qt::AlignLeft | Qt::AlignTop,
            leaves ? name_of(slot) + QStringLiteral(", off") : name_of(slot));
  painter.setPen(is_used ? theme().text : theme().faint);
  draw_text(painter, words, Qt::AlignLeft | Qt::AlignBottom, holder_of(slot));
}

const SlotRow& ClusterMap::slot_of(const SlotTile& tile) const {
  return agents_[tile.agent].slots[tile.slot];
}

Link ClusterMap::link_of(const SlotTile& tile) const {
  const SlotRow& slot = slot_of(tile);
  if (slot.trial != 0) return {Link::Kind::trial, slot.trial, {}};
  return {Link::Kind::agent, 0, agents_[tile.agent].id};
}

int ClusterMap::tile_at(const QPoint& at) const {
  for (std::size_t tile = 0; tile < map_.tiles.size(); ++tile) {
    if (map_.tiles[tile].rect.contains(at + offset())) return static_cast<int>(tile);
  }
  return -1;
}

int ClusterMap::card_at(const QPoint& at) const {
  for (std::size_t card = 0; card < map_.cards.size(); ++card) {
    if (map_.cards[card].contains(at + offset())) return static_cast<int>(card);
  }
  return -1;
}

bool ClusterMap::is_on_dots(const QPoint& at) const {
  const int card = card_at(at);
  return card >= 0 && dots_of(map_.cards[static_cast<std::size_t>(card)]).contains(at + offset());
}

void ClusterMap::ask_for_menu(const QPoint& at, int tile) {
  if (tile >= 0) {
    const SlotTile& shown = map_.tiles[static_cast<std::size_t>(tile)];
    return menu_wanted(static_cast<int>(shown.agent), static_cast<int>(shown.slot),
                       viewport()->mapToGlobal(at));
  }
  if (const int card = card_at(at); card >= 0) {
    Q_EMIT menu_wanted(card, -1, viewport()->mapToGlobal(at));
  }
}

void ClusterMap::set_current(int tile) {
  if (current_ == tile) return;
  current_ = tile;
  viewport()->update();
}

void ClusterMap::mouseMoveEvent(QMouseEvent* event) {
  const QPoint at = event->position().toPoint();
  const int tile = tile_at(at);
  set_current(tile);
  const bool leads = tile >= 0 && slot_of(map_.tiles[static_cast<std::size_t>(tile)]).trial != 0;
  viewport()->setCursor(leads || is_on_dots(at) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void ClusterMap::mouseReleaseEvent(QMouseEvent* event) {
  const QPoint at = event->position().toPoint();
  const int tile = tile_at(at);
  if (event->button() != Qt::LeftButton) return;
  if (is_on_dots(at)) return ask_for_menu(at, -1);
  if (tile < 0) return;
  const Link link = link_of(map_.tiles[static_cast<std::size_t>(tile)]);
  if (link.kind == Link::Kind::trial) Q_EMIT opened(link);
}

void ClusterMap::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() == QContextMenuEvent::Mouse) {
    return ask_for_menu(event->pos(), tile_at(event->pos()));
  }
  if (current_ < 0) return;
  const QRect rect = map_.tiles[static_cast<std::size_t>(current_)].rect;
  ask_for_menu(rect.center() - offset(), current_);
}

void ClusterMap::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(map_.tiles.size());
  const bool is_next = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
  const bool is_previous = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
  if (count > 0 && (is_next || is_previous)) {
    set_current(std::clamp(current_ + (is_next ? 1 : -1), 0, count - 1));
    const QRect rect = map_.tiles[static_cast<std::size_t>(current_)].rect;
    if (!viewport()->rect().contains(rect.translated(-offset()))) {
      verticalScrollBar()->setValue(rect.center().y() - viewport()->height() / 2);
    }
    return;
  }
  if (event->key() == Qt::Key_Return && current_ >= 0) {
    const Link link = link_of(map_.tiles[static_cast<std::size_t>(current_)]);
    if (link.kind == Link::Kind::trial) Q_EMIT opened(link);
    return;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

bool ClusterMap::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) set_current(-1);
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int at = tile_at(help->pos());
  if (at < 0) return QToolTip::hideText(), true;
  const SlotTile& tile = map_.tiles[static_cast<std::size_t>(at)];
  const SlotRow& slot = slot_of(tile);
  QString text =
      QStringLiteral("%1 of %2: %3")
          .arg(name_of(slot), one_line(agents_[tile.agent].name, 60), one_line(slot.device, 80));
  if (slot.trial != 0) {
    text += QStringLiteral("\ntrial %1 of experiment %2, allocation %3")
                .arg(slot.trial)
                .arg(slot.experiment)
                .arg(one_line(slot.allocation, 40));
  }
  if (slot.is_disabled) text += QStringLiteral("\ndisabled: nothing is placed on it");
  if (!slot.fault.isEmpty()) {
    text += QStringLiteral("\nnot given out: %1").arg(one_line(slot.fault, 200));
  }
  QToolTip::showText(help->globalPos(), tip_text(text), viewport());
  return true;
}

}  // namespace dt::gui
