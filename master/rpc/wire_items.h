// Calls that do many things at once: what went wrong with one of them, and with too many of them.
#pragma once

#include "base/status.h"
#include "base/value.h"
#include "dovetail/v1/experiment.pb.h"

namespace dt::master {

::dovetail::v1::ItemError item_error(const Status& status);
::dovetail::v1::ItemError item_error(const Value& error);  // core::error_value()'s

Status too_many(const char* what, int count, int count_max);

}  // namespace dt::master
