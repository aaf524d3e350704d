// Where each slot of each agent stands on the map, as rectangles: cards of agents in columns, slots
// as tiles in them. Pure geometry, so that it can be tested; widgets/cluster_map.h paints it.
#pragma once

#include <QRect>
#include <vector>

#include "gui/data/rows.h"

namespace dt::gui {

struct SlotTile {
  std::size_t agent = 0;
  std::size_t slot = 0;
  QRect rect;
};

struct SlotMap {
  std::vector<QRect> cards;     // one an agent
  std::vector<SlotTile> tiles;  // by agent and slot
  int height = 0;
};

SlotMap lay_out(const std::vector<AgentRow>& agents, int width);

// "GPU 3".
QString name_of(const SlotRow& slot);
// silent; else draining or disabled, as people ordered; else connected.
QString state_of(const AgentRow& agent);
// "3 agents, 8 of 12 slots in use, 1 agent silent, 2 slots disabled".
QString summary_of(const std::vector<AgentRow>& agents);

}  // namespace dt::gui
