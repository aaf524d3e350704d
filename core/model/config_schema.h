// Determined's experiment configuration and our own keys, as a schema. Keys that this site has no
// use for are known, checked and reported as ignored, so that an existing configuration works and
// nobody believes in a key that does nothing. The parts are here for the oracle's cases.
#pragma once

#include "core/model/config.h"
#include "core/model/schema.h"

namespace dt::core {

schema::Check experiment_schema();

schema::Check entrypoint_schema();
schema::Check environment_schema();
schema::Check resources_schema();
schema::Check searcher_schema();
schema::Check checkpoint_storage_schema();
schema::Check optimizations_schema();
schema::Check length_schema(std::int64_t least);  // {batches: N}, or records, or epochs

// Of a resolved and valid section.
SearcherConfig searcher_of(const Value& searcher);
// What only the whole configuration tells: searcher and hyperparameters are valid by themselves.
void check_searcher(const Value& resolved, schema::Findings& findings);

// Keys of Determined that have no effect here.
schema::Check bind_mount_schema();
schema::Check device_schema();
schema::Check memory_size_schema();
schema::Check log_policy_schema();
schema::Check log_policies_schema();
schema::Check log_action_schema();
schema::Check profiling_schema();
schema::Fields ignored_fields();  // of the top level

}  // namespace dt::core
