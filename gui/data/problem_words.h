// An error of a call in words for people: a sentence with a capital and an end, without what only a
// programmer of gRPC would want to know. Pure; any thread.
#pragma once

#include <QString>

#include "base/status.h"

namespace dt::gui {

// "The master at box:8081 cannot be reached: connection refused."
QString problem_text(const Status& problem);
// The way out, as a sentence; empty if none is known.
QString problem_hint(const Status& problem);
// Both.
QString problem_line(const Status& problem);

}  // namespace dt::gui
