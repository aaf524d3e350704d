// Asks once before something is lost, without stopping the window's other pages.
#pragma once

#include <functional>

#include "gui/data/actions.h"

class QWidget;

namespace dt::gui {

// `on_yes` runs if the button is pressed; Escape, Enter and the other button keep things as they
// are.
void ask_question(const Question& question, QWidget* parent, std::function<void()> on_yes);

}  // namespace dt::gui
