#include "gui/data/overview_curves.h"

#include <algorithm>
#include <cmath>

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr std::size_t strong_max = 5;
constexpr std::size_t all_strong_max = 8;  // so many still have a label each

std::set<std::int64_t> strong_trials(const std::map<std::int64_t, std::vector<CurvePoint>>& points,
                                     const std::vector<std::int64_t>& merit,
                                     const CurveChoice& choice) {
  if (!choice.selected.empty()) return {choice.selected.begin(), choice.selected.end()};
  const std::size_t most = points.size() <= all_strong_max ? all_strong_max : strong_max;
  std::set<std::int64_t> strong;
  for (const std::int64_t trial : merit) {
    if (strong.size() == most) break;
    if (points.contains(trial) && !choice.hidden.contains(trial)) strong.insert(trial);
  }
  return strong;
}

}  // namespace

std::vector<std::int64_t> by_merit(const std::map<std::int64_t, TrialRow>& trials,
                                   bool smaller_is_better) {
  struct Place {
    bool has_value;
    double value;  // smaller is better
    std::int64_t id;
  };
  std::vector<Place> places;
  for (const auto& [id, trial] : trials) {
    const bool has_value = trial.best && !std::isnan(*trial.best);
    const double value = has_value ? (smaller_is_better ? *trial.best : -*trial.best) : 0;
    places.push_back({has_value, value, id});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    if (a.has_value != b.has_value) return a.has_value;
    if (a.value != b.value) return a.value < b.value;
    return a.has_value ? a.id < b.id : a.id > b.id;
  });
  std::vector<std::int64_t> ids;
  for (const Place& place : places) ids.push_back(place.id);
  return ids;
}

std::vector<Curve> overview_curves(const std::map<std::int64_t, std::vector<CurvePoint>>& points,
                                   const std::vector<std::int64_t>& merit,
                                   const CurveChoice& choice, RunColors& colors) {
  const std::set<std::int64_t> strong = strong_trials(points, merit, choice);
  std::vector<Curve> curves;
  for (const std::int64_t trial : merit) {
    const auto found = points.find(trial);
    if (found == points.end() || found->second.empty() || choice.hidden.contains(trial)) continue;
    const Link link{Link::Kind::trial, trial, {}};
    const RunStyle style = colors.style(link, choice.is_dark);
    curves.push_back({.key = trial,
                      .name = u"trial "_s + QString::number(trial),
                      .color = style.color,
                      .dash = style.dash,
                      .is_strong = strong.contains(trial),
                      .link = link,
                      .points = found->second});
  }
  return curves;
}

}  // namespace dt::gui
