// The part of the look that Fusion leaves to style sheets: controls, tabs, headers, scroll bars.
// What tables and charts draw is painted by their own code from theme().
#pragma once

#include <QString>

namespace dt::gui {

struct Theme;
QString style_sheet(const Theme& theme);

}  // namespace dt::gui
