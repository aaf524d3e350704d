// An ended experiment keeps the checkpoints that its policy names
// (core/experiment/checkpoint_keep.h) and loses the others: first their rows say so, then their
// files go, then it is tidied. One that was continued meanwhile is left alone.
#pragma once

#include "core/master/book.h"

namespace dt::core {

Result<Value> tidy_checkpoints(Step& step, const CheckpointsTidied& event);

}  // namespace dt::core
