// Metric and log chunks as JSON rows for writing and as columns read back; ingest writes them, the
// plots and the housekeeping read them. Reading throws like row_values.h.
#pragma once

#include <pqxx/pqxx>
#include <string>
#include <string_view>

#include "base/value.h"
#include "master/store/points.h"
#include "master/store/store.h"

namespace dt::master {

// The members that `chunk_record_columns` names.
Value chunk_to_row(std::int64_t series, const Chunk& chunk);
inline constexpr const char* chunk_record_columns =
    "series_id bigint, attempt integer, points integer, first_step bigint, last_step bigint, "
    "min_step bigint, max_step bigint, rising boolean, finite integer, "
    "min_value double precision, max_value double precision, sum_value double precision, "
    "last_value double precision, step_deltas bigint[], time_deltas bigint[], "
    "point_values double precision[], epochs double precision[]";

// Needs the columns attempt, step_deltas, time_deltas and point_values; epochs for the whole chunk.
enum class ChunkParts { without_epochs, whole };
Chunk chunk_in(const pqxx::row& row, ChunkParts parts);

std::string hex_of(std::string_view bytes);
std::string bytes_in(const pqxx::row& row, const char* column);  // of a bytea

}  // namespace dt::master
