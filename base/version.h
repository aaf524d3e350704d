// The version that programs print and send; CMakeLists.txt holds the same number.
#pragma once

namespace dt {

inline constexpr const char* version = "0.1.0";

}  // namespace dt
