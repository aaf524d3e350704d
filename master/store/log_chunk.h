// Log lines as the database keeps them: lines of one stream of an attempt, in order, compressed by
// zstd. Every line carries its position (its place among all lines of the trial), so chunks can be
// merged even when other streams' lines lie between. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "master/store/store.h"

namespace dt::master {

// All lines have the same attempt and stream; those two are columns beside the chunk.
std::string pack_lines(const std::vector<StoredLogLine>& lines);
// data_loss if the bytes are no packed lines.
Result<std::vector<StoredLogLine>> unpack_lines(std::string_view bytes, int attempt, int stream);

}  // namespace dt::master
