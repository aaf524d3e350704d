// What a tab shows, in a form that survives a restart: the layout is saved as these words, and a
// page is found again when somebody opens the same thing twice.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "gui/data/links.h"

namespace dt::gui {

// Where the window can go; the rail's order.
enum class Place { experiments, compare, launch, queue, cluster, logs };

struct Comparison {
  std::vector<Link> links;
  bool operator==(const Comparison&) const = default;
};
struct Fork {
  std::int64_t experiment = 0;
  bool operator==(const Fork&) const = default;
};
// A trial's log, at a time (Unix ms; 0: the end, following), which is where it opens and no more.
struct LogOf {
  std::int64_t trial = 0;
  std::int64_t time_ms = 0;
  bool operator==(const LogOf& other) const { return trial == other.trial; }
};

using PageId = std::variant<Place, Link, Comparison, Fork, LogOf>;

QString title_of(Place place);
QString title_of(const PageId& id);

// "experiments", "trial 9", "compare trial 9,trial 10", "fork 7", "logs 9".
QString to_text(const PageId& id);
std::optional<PageId> page_from_text(const QString& text);

}  // namespace dt::gui
