// What a plain (unquoted) YAML scalar means: YAML 1.2's core schema, so yes, no, on, off and dates
// are strings, 1e-3 is a number, 0o17 and 0x1F are integers. An integer that int64 cannot hold
// becomes a double; a number that a double cannot hold is an error.
#pragma once

#include <string>

#include "base/status.h"
#include "base/value.h"

namespace dt {

Result<Value> plain_scalar(const std::string& text);

}  // namespace dt
