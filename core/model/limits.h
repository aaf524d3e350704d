// Limits that configurations are held to, so that one submit cannot exhaust the master.
#pragma once

#include <cstdint>

namespace dt::core {

inline constexpr std::int64_t max_trials_limit = 100'000;  // of one experiment
inline constexpr std::int64_t max_slots_limit = 65'536;    // of one trial or experiment
inline constexpr std::int64_t max_rungs_limit = 100;

}  // namespace dt::core
