// JSON text <-> base::Value. Exact for every int64 and double; keys come out sorted and compact, so
// equal values have equal bytes. NaN and the infinities are written as the strings "NaN",
// "Infinity" and "-Infinity" (DESIGN §6); base/number.h reads a number in either form. Input limits:
// depth 64, valid UTF-8; duplicate keys are an error. No function here throws.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "base/value.h"

namespace dt {

Result<Value> parse_json(std::string_view text);
std::string to_json(const Value& value);
std::string to_json_pretty(const Value& value);  // two spaces, for people

}  // namespace dt
