// One colour a run for the whole session: a trial or experiment looks the same in every table and
// chart. Twelve hues (Okabe–Ito, extended by lightness), readable on light and dark; then dash
// patterns. GUI thread only.
#pragma once

#include <QColor>
#include <cstdint>
#include <map>

#include "gui/data/links.h"

namespace dt::gui {

struct RunStyle {
  QColor color;
  Qt::PenStyle dash = Qt::SolidLine;
  bool operator==(const RunStyle&) const = default;
};

// The n-th style of the palette, for curves that are no runs: the ranks of one trial.
RunStyle style_at(int number, bool is_dark);

class RunColors {
 public:
  // The same style for the same run, given out in order of asking.
  RunStyle style(const Link& run, bool is_dark);

 private:
  std::map<std::pair<Link::Kind, std::int64_t>, int> numbers_;
};

}  // namespace dt::gui
