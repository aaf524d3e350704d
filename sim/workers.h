// Spreads seeds over processes of this program and brings their results home. A process that dies,
// because a brain broke one of its own invariants or runs for ever, is a failure of the seed that
// it was at. The first seed that fails is the same however many processes there are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/time.h"
#include "sim/coverage.h"

namespace dt::sim {

struct SeedResult {
  std::uint64_t seed = 0;
  std::string failure;  // empty: it passed
  std::int64_t events = 0;
  Duration virtual_time{0};
  Coverage coverage;
};

using RunSeed = std::function<SeedResult(std::uint64_t seed)>;
using TakeResult = std::function<void(const SeedResult&)>;

// With one process the seeds run in this one. Nothing: all passed.
std::optional<SeedResult> run_in_processes(std::uint64_t first, std::uint64_t last, int processes,
                                           const RunSeed& run, const TakeResult& take);

}  // namespace dt::sim
