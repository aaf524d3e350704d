// Joins the row changes of several steps into one batch: of two rows with one key the later counts.
// Order inside the batch does not matter to the database then. Pure.
#pragma once

#include "core/master/rows.h"

namespace dt::core {

void merge(Writes& batch, Writes step);

}  // namespace dt::core
