// The agent's clock: CLOCK_BOOTTIME, which runs through suspend, as leases need it.
#pragma once

#include <time.h>

#include "base/time.h"

namespace dt::agent {

inline Time boot_now() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return from_ms(std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000);
}

}  // namespace dt::agent
