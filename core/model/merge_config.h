// One configuration laid over another, by Determined's rules: what is said above wins; maps merge
// key by key; lists are replaced, but for those that add up; a union (storage, searcher) of another
// type keeps only what all types have; a hyperparameter is one thing. Both as written, not yet
// checked.
#pragma once

#include "base/value.h"

namespace dt::core {

Value merge_config(const Value& above, const Value& base);

// The parts with rules of their own; above and base as they stand at that key.
Value merge_mounts(const Value& above, const Value& base);  // by container_path, also devices
Value merge_log_policies(const Value& above, const Value& base);
Value merge_storage(const Value& above, const Value& base);
Value merge_searcher(const Value& above, const Value& base);
Value merge_hyperparameters(const Value& above, const Value& base);

}  // namespace dt::core
