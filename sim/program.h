// What the ranks of one experiment do, as drawn dice: how long they train, what they report and how
// they behave. The program is found by the experiment's name. Plain data.
#pragma once

#include <cstdint>

#include "base/rng.h"
#include "base/time.h"

namespace dt::sim {

struct Program {
  std::int64_t steps = 10;
  Duration step_time{1'000};
  int validate_every = 1;
  int checkpoint_every = 3;
  bool sharded = false;         // each rank writes a part of a checkpoint
  bool mute = false;            // never says hello
  bool stubborn = false;        // ignores SIGTERM
  bool deaf = false;            // trains on when asked to checkpoint, as in a very long step
  bool lacks_metric = false;    // reports something else
  bool talkative = false;       // prints, and tells its progress
  int crash_percent = 0;        // of its attempts
  int nan_percent = 0;          // of its validations
  int invalid_percent = 0;      // of its trials: exit code 78
  int quits_percent = 0;        // of its attempts: leaves with 75 unasked
  int build_fails_percent = 0;  // by the user's fault, of its attempts
};

Program draw_program(Rng& dice);

}  // namespace dt::sim
