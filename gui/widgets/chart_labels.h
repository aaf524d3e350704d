// Where the names at the ends of lines stand, so that none covers another. Pure.
#pragma once

#include <vector>

namespace dt::gui {

// The tops of boxes of one height, in the order of `wanted` (their wished tops): as near to the
// wishes as can be without overlap, within [top, bottom]. When they do not fit, they overlap
// evenly.
std::vector<double> pushed_apart(const std::vector<double>& wanted, double height, double top,
                                 double bottom);

}  // namespace dt::gui
