// Two states of the master, compared row by row. What a restart is allowed to change (links, the
// sequence of Watch) is left out, and NaN equals NaN. Pure.
#pragma once

#include <string>

#include "core/master/rows.h"

namespace dt::sim {

// The first thing that differs, in words; empty: they are equal.
std::string first_difference(core::Recovered a, core::Recovered b);

}  // namespace dt::sim
