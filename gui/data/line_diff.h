// What changed between two texts, line by line: the longest common lines stay, the others are removed
// or added. Pure.
#pragma once

#include <QString>
#include <vector>

namespace dt::gui {

struct DiffLine {
  enum class Kind { same, removed, added };
  Kind kind = Kind::same;
  QString text;
  int old_number = 0;  // from 1; 0: not in that text
  int new_number = 0;
  bool operator==(const DiffLine&) const = default;
};

// Texts of more than two thousand differing lines are shown as removed and added as a whole.
std::vector<DiffLine> line_diff(const QString& before, const QString& after);

// Only what changed, with some lines around it; gaps are where numbers jump.
std::vector<DiffLine> with_context(const std::vector<DiffLine>& diff, int lines_around);

}  // namespace dt::gui
