#include "gui/data/slot_map.h"

#include <algorithm>
#include <map>

#include "gui/data/format.h"

namespace dt::gui {
namespace {

constexpr int gap = 16;      // between cards
constexpr int padding = 16;  // inside a card
constexpr int heading = 56;  // name and address
constexpr int tile_width = 84;
constexpr int tile_height = 44;
constexpr int tile_gap = 8;
constexpr int card_tiles = 4;  // side by side in a card
constexpr int card_width = 2 * padding + card_tiles * tile_width + (card_tiles - 1) * tile_gap;

int rows_of(const AgentRow& agent) {
  const int count = static_cast<int>(agent.slots.size());
  return std::max(1, (count + card_tiles - 1) / card_tiles);
}

int height_of(const AgentRow& agent) {
  const int rows = rows_of(agent);
  return heading + rows * tile_height + (rows - 1) * tile_gap + padding;
}

}  // namespace

SlotMap lay_out(const std::vector<AgentRow>& agents, int width) {
  SlotMap map;
  const int columns = std::max(1, (width + gap) / (card_width + gap));
  std::vector<int> bottoms(static_cast<std::size_t>(columns), 0);
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const auto column = std::min_element(bottoms.begin(), bottoms.end());
    const int x = static_cast<int>(column - bottoms.begin()) * (card_width + gap);
    const QRect card(x, *column, card_width, height_of(agents[i]));
    map.cards.push_back(card);
    for (std::size_t slot = 0; slot < agents[i].slots.size(); ++slot) {
      const int at = static_cast<int>(slot);
      map.tiles.push_back({i, slot,
                           QRect(card.left() + padding + at % card_tiles * (tile_width + tile_gap),
                                 card.top() + heading + at / card_tiles * (tile_height + tile_gap),
                                 tile_width, tile_height)});
    }
    *column = card.bottom() + 1 + gap;
    map.height = std::max(map.height, card.bottom() + 1);
  }
  return map;
}

QString name_of(const SlotRow& slot) {
  const bool is_gpu = slot.kind == QLatin1String("cuda");
  return (is_gpu ? QStringLiteral("GPU ") : QStringLiteral("CPU ")) + one_line(slot.id, 12);
}

QString state_of(const AgentRow& agent) {
  if (agent.state != QLatin1String("connected")) return QStringLiteral("silent");
  const bool is_ordered =
      agent.admission == QLatin1String("draining") || agent.admission == QLatin1String("disabled");
  return is_ordered ? agent.admission : QStringLiteral("connected");
}

QString summary_of(const std::vector<AgentRow>& agents) {
  std::int64_t all = 0, used = 0, disabled = 0;
  std::map<QString, std::int64_t> states;
  for (const AgentRow& agent : agents) {
    ++states[state_of(agent)];
    for (const SlotRow& slot : agent.slots) {
      ++all;
      used += !slot.allocation.isEmpty();
      disabled += slot.is_disabled;
    }
  }
  const QString agent_noun = QStringLiteral("agent"), slot_noun = QStringLiteral("slot");
  QString text = QStringLiteral("%1, %2 of %3 in use")
                     .arg(plural(static_cast<std::int64_t>(agents.size()), agent_noun),
                          integer(used), plural(all, slot_noun));
  for (const char* state : {"silent", "draining", "disabled"}) {
    const std::int64_t count = states[QLatin1String(state)];
    if (count == 0) continue;
    text += QStringLiteral(", %1 %2").arg(plural(count, agent_noun), QLatin1String(state));
  }
  if (disabled > 0) text += QStringLiteral(", %1 disabled").arg(plural(disabled, slot_noun));
  return text;
}

}  // namespace dt::gui
