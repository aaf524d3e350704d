// A cluster in the middle of its day, as screenshots show it: the same rows for every page.
#pragma once

#include "tests/unit/gui/fake_master.h"

namespace dt::gui {

// Experiments 1 to 24, of which 24 runs trials 101 to 116; agents; a queue; series and logs.
void add_sample_cluster(FakeMaster::Rows& rows);

}  // namespace dt::gui
