#include "gui/widgets/chart_labels.h"

#include <algorithm>
#include <numeric>

namespace dt::gui {
namespace {

struct Group {     // boxes that touch, as one
  double sum = 0;  // of the wished tops, each less its place within the group
  int boxes = 0;
  double top() const { return sum / boxes; }
};

}  // namespace

std::vector<double> pushed_apart(const std::vector<double>& wanted, double height, double top,
                                 double bottom) {
  const auto count = static_cast<double>(wanted.size());
  if (wanted.empty()) return {};
  const double room = bottom - top;
  const double each = std::min(height, room / count);
  const auto place = [&](const Group& group) {
    return std::clamp(group.top(), top, bottom - group.boxes * each);
  };
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<Group> groups;
  for (const std::size_t box : order) {
    groups.push_back({std::clamp(wanted[box], top, bottom - each), 1});
    while (groups.size() > 1) {
      const Group last = groups.back();
      Group& before = groups[groups.size() - 2];
      if (place(before) + before.boxes * each <= place(last)) break;
      before.sum += last.sum - last.boxes * before.boxes * each;
      before.boxes += last.boxes;
      groups.pop_back();
    }
  }
  std::vector<double> places(wanted.size());
  std::size_t next = 0;
  for (const Group& group : groups) {
    for (int i = 0; i < group.boxes; ++i) places[order[next++]] = place(group) + i * each;
  }
  return places;
}

}  // namespace dt::gui
