// The laws of experiments' and trials' rows: which states follow which, what never changes again,
// what a verb does at once. Written from DESIGN and docs/decisions, not from core/. Pure.
#pragma once

#include "sim/turn.h"

namespace dt::sim {

Breach experiment_breach(const Turn& turn);
Breach trial_breach(const Turn& turn);
// What people asked is answered, done, and kept for a repeat.
Breach request_breach(const Turn& turn);

}  // namespace dt::sim
