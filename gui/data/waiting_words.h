// Why an experiment has nothing to show yet, and what to do: for the empty states of its page. Pure.
#pragma once

#include <optional>

#include "gui/data/rows.h"

namespace dt::gui {

struct WaitingWords {
  QString headline;  // "No trials yet"
  QString text;      // "Waiting for 2 slots; position 3 in pool default."
  bool operator==(const WaitingWords&) const = default;
};

// `what`: "trials", "points".
WaitingWords waiting_words(const QString& what, const ExperimentRow& experiment,
                           const std::optional<JobRow>& job);

}  // namespace dt::gui
