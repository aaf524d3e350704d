// TaskSet's tables for bench_search: a thousand configurations and the loss of each before the
// first and after every step. A proposed point stands for the nearest configuration that nobody has
// taken yet. Losses that are no numbers (a run that diverged) stay so.
#pragma once

#include <string>

#include "base/status.h"
#include "bench/search_problem.h"

namespace dt::bench {

// Every *.json file of the folder, by name.
Result<Problems> load_tables(const std::string& folder);

}  // namespace dt::bench
