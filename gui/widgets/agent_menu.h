// The menu of an agent and of one of its slots: drain, disable, enable. What runs there is named
// before it is asked to go. GUI thread only.
#pragma once

#include <vector>

#include "gui/data/rows.h"
#include "gui/widgets/link_menu.h"

namespace dt::gui {

std::vector<LinkAction> agent_actions(Session& session, const AgentRow& agent, QWidget* parent);
std::vector<LinkAction> slot_actions(Session& session, const AgentRow& agent, const SlotRow& slot,
                                     QWidget* parent);

}  // namespace dt::gui
