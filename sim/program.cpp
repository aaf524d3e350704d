#include "sim/program.h"

namespace dt::sim {

Program draw_program(Rng& dice) {
  Program program{.steps = dice.between(4, 20),
                  .step_time = Duration(dice.between(1'000, 9'000)),
                  .validate_every = static_cast<int>(dice.between(1, 3)),
                  .checkpoint_every = static_cast<int>(dice.between(2, 4)),
                  .sharded = dice.chance(30),
                  .mute = dice.chance(8),
                  .stubborn = dice.chance(20),
                  .deaf = dice.chance(25),
                  .lacks_metric = dice.chance(4),
                  .talkative = dice.chance(20)};
  if (dice.chance(30)) program.crash_percent = static_cast<int>(dice.between(5, 70));
  if (dice.chance(15)) program.nan_percent = static_cast<int>(dice.between(5, 60));
  if (dice.chance(10)) program.invalid_percent = static_cast<int>(dice.between(5, 30));
  if (dice.chance(8)) program.quits_percent = static_cast<int>(dice.between(5, 40));
  if (dice.chance(5)) program.build_fails_percent = static_cast<int>(dice.between(5, 40));
  return program;
}

}  // namespace dt::sim
