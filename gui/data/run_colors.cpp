#include "gui/data/run_colors.h"

#include <array>

namespace dt::gui {
namespace {

struct Hue {
  const char* light;
  const char* dark;
};

// Okabe and Ito's eight without black, then four of their hues at another lightness. Each has at
// least 3:1 on the theme's surface, which is what lines need.
constexpr std::array<Hue, 12> hues{{
    {"#0072b2", "#56a8e8"},
    {"#d55e00", "#ff8a3d"},
    {"#00865f", "#2cc295"},
    {"#b0568c", "#e08fc0"},
    {"#9a7400", "#e6b93c"},
    {"#2a8ab8", "#8fd0f5"},
    {"#7a4b00", "#c99a5b"},
    {"#4b4fa8", "#a3a6f2"},
    {"#8c1c3e", "#f0708f"},
    {"#4f7a00", "#a5cf4f"},
    {"#005b5b", "#5fc9c9"},
    {"#6b6b6b", "#b8bdc6"},
}};
constexpr std::array<Qt::PenStyle, 4> dashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine,
                                             Qt::DashDotLine};

}  // namespace

RunStyle style_at(int number, bool is_dark) {
  const auto place = static_cast<std::size_t>(number);
  const Hue& hue = hues[place % hues.size()];
  return {QColor(QString::fromLatin1(is_dark ? hue.dark : hue.light)),
          dashes[place / hues.size() % dashes.size()]};
}

RunStyle RunColors::style(const Link& run, bool is_dark) {
  const auto given = numbers_.try_emplace({run.kind, run.id}, static_cast<int>(numbers_.size()));
  return style_at(given.first->second, is_dark);
}

}  // namespace dt::gui
