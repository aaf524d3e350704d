// Consumes the records that decisions need (DESIGN §4, Inbox). Every row is consumed by the step
// that sees it, whatever it says; a row of an attempt that is over is dropped as stale.
#pragma once

#include <vector>

#include "core/master/book.h"

namespace dt::core {

void read_inbox(Step& step, const std::vector<InboxRow>& rows);

}  // namespace dt::core
