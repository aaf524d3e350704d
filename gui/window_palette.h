// What Ctrl+K finds in the window: its commands, places and experiments; and what a typed number
// means.
#pragma once

#include <QString>
#include <vector>

#include "gui/models/palette_model.h"

namespace dt::gui {

class Session;

std::vector<PaletteEntry> place_entries(Session& session);
std::vector<PaletteEntry> experiment_entries(Session& session);
// "9" and "trial 9" lead to trial 9 and experiment 9.
std::vector<PaletteEntry> number_entries(Session& session, const QString& typed);

}  // namespace dt::gui
