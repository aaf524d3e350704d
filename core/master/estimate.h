// When a job that waits may start its next trial, if the trials that run go on at the pace at which
// they reported progress, and those before it in the queue start first. Unknown when what must end
// first reports no progress. For people; decides nothing. Pure.
#pragma once

#include <vector>

#include "core/master/book.h"
#include "core/master/queue.h"

namespace dt::core {

// `queue`: queue_of(book); fills in estimated_start_ms.
void estimate_starts(const Book& book, Time now, std::vector<Job>& queue);

}  // namespace dt::core
