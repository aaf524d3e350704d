// The keys of the window, on `?`. GUI thread only.
#pragma once

class QWidget;

namespace dt::gui {

void show_key_help(QWidget* window);

}  // namespace dt::gui
