// Private to core/master: what a Master holds.
#pragma once

#include "core/master/book.h"

namespace dt::core {

struct Master::State {
  explicit State(MasterOptions options) : book(std::move(options)) {}

  // The end of every step: moves on what changed, schedules, tells agents, writes rows, arms the
  // timer.
  void finish(Step& step);

  Book book;
  bool recovered = false;
  Time armed = never;  // the wake-up that the loop holds
};

}  // namespace dt::core
