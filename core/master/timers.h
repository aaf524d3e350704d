// The deadlines of the master's memory. There is one timer: it is armed for the earliest, and when
// it fires everything that is due is done.
#pragma once

#include "core/master/book.h"

namespace dt::core {

Time next_deadline(const Book& book);
void fire_deadlines(Step& step);

}  // namespace dt::core
