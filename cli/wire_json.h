// API messages as JSON for --json: names as in the API, a thing's own id is `id`, what is not there
// is null, embedded JSON (hparams, config) is JSON and not text.
#pragma once

#include "base/value.h"
#include "dovetail/v1/experiment.pb.h"
#include "dovetail/v1/trial.pb.h"

namespace dt::cli {

Value to_value(const ::dovetail::v1::Experiment& experiment);
Value to_value(const ::dovetail::v1::GetSearchResponse& search);
Value to_value(const ::dovetail::v1::Trial& trial);
Value to_value(const ::dovetail::v1::Attempt& attempt);
Value to_value(const ::dovetail::v1::Checkpoint& checkpoint);

}  // namespace dt::cli
