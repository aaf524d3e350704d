// How everything looks: Fusion with our palette, light and dark, 13 px text on a grid of 8 px.
// Widgets that paint take colours from theme() at every paint; when the theme changes they hear a
// PaletteChange. Text on its ground has a contrast of at least 4.5:1 in both. GUI thread only.
#pragma once

#include <QColor>
#include <QFont>
#include <QString>

#include "gui/data/format.h"

namespace dt::gui {

enum class ThemeChoice { system, light, dark };

struct Theme {
  bool is_dark = false;
  QColor window;   // behind everything
  QColor surface;  // tables, charts, cards
  QColor raised;   // menus, dialogs, tooltips
  QColor line;     // between things
  QColor text;
  QColor faint;   // second-rank text
  QColor accent;  // the one colour that is not about state
  QColor on_accent;
  QColor selection;  // ground of selected rows
  QColor hover;
  QColor good, busy, warning, bad;  // state only
};

const Theme& theme();
QColor tone_color(Tone tone);

// Names of the setting: "system", "light", "dark"; what is none of them is system.
ThemeChoice theme_choice_from(const QString& text);
QString to_text(ThemeChoice choice);

// Sets style, palette, fonts and style sheet of the application; at start and at every change.
// With `system` the desktop's choice is followed while the program runs.
void set_theme(ThemeChoice choice);
ThemeChoice theme_choice();

QFont mono_font();  // logs, ids, YAML
QFont bold_font();
QFont title_font();  // a page's name

inline constexpr int grid = 8;       // px between things
inline constexpr int half_grid = 4;  // px inside controls
inline constexpr int row_height = 28;

}  // namespace dt::gui
