// Filters of lists as requests carry them: a line that people type, or Determined's JSON.
#pragma once

#include "core/experiment/filter_columns.h"

namespace dt::master {

// Of an empty text, the filter that everything passes.
Result<core::Filter> read_filter(const std::string& text, core::FilterRows rows);

inline bool passes_all(const core::Filter& filter) { return filter == core::Filter(); }

// How many rows to read at a time for a page of `size` that a filter thins out.
inline int rows_to_read(const core::Filter& filter, int size) {
  constexpr int at_least = 1000;
  return passes_all(filter) || size > at_least ? size : at_least;
}

}  // namespace dt::master
