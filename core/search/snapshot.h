// Reads the members of a searcher's snapshot. A snapshot comes from the database, so a member that
// is missing or of another type is an error (data_loss) that names it, never a crash.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/value.h"

namespace dt::core {

// An integer member between the two bounds, both inclusive.
Result<int> snapshot_int(const Value& snapshot, const std::string& key, int low = 0,
                         int high = std::numeric_limits<int>::max());
Result<std::string> snapshot_text(const Value& snapshot, const std::string& key);
Result<std::vector<int>> snapshot_ints(const Value& snapshot, const std::string& key, int low,
                                       int high);
Result<std::vector<double>> snapshot_numbers(const Value& snapshot, const std::string& key);

Value snapshot_of(const std::vector<int>& values);
Value snapshot_of(const std::vector<double>& values);

}  // namespace dt::core
