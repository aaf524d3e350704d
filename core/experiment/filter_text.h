// The filter that people type: hparams.lr <= 0.01 and (state = completed or labels contains
// nightly) “and” binds closer than “or”. A condition is a column and =, !=, <, <=, >, >=, contains,
// not contains, is empty or is not empty; a text with blanks stands in quotes. Pure.
#pragma once

#include <string>

#include "core/experiment/filter.h"

namespace dt::core {

inline constexpr std::size_t filter_text_max = 10'000;  // bytes

// Nothing but blanks is a filter that everything passes. Errors name the place: "at 12, …".
Result<Filter> parse_filter(const std::string& text);

}  // namespace dt::core
