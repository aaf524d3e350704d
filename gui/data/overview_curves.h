// Which curves an experiment's chart shows and how: what is selected is strong, else the best few;
// the others are faint context; hidden ones are left out. Pure but for the colours it asks for.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "gui/data/run_colors.h"
#include "gui/data/trial_rows.h"
#include "gui/widgets/chart.h"

namespace dt::gui {

struct CurveChoice {
  bool smaller_is_better = true;
  bool is_dark = false;
  std::vector<std::int64_t> selected;
  std::set<std::int64_t> hidden;
};

// Best first; those without a value come last, newest first.
std::vector<std::int64_t> by_merit(const std::map<std::int64_t, TrialRow>& trials,
                                   bool smaller_is_better);

std::vector<Curve> overview_curves(const std::map<std::int64_t, std::vector<CurvePoint>>& points,
                                   const std::vector<std::int64_t>& merit,
                                   const CurveChoice& choice, RunColors& colors);

}  // namespace dt::gui
