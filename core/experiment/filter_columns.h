// What a filter may ask of a trial or an experiment: the columns by name, and their values. Times
// are texts in UTC, "2026-12-01T04:30:00Z", so a date alone compares as its first moment. Pure.
#pragma once

#include "core/experiment/filter.h"
#include "core/master/rows.h"

namespace dt::core {

enum class FilterRows { trials, experiments };

// Determined's names of columns become ours ("hp.lr" is "hparams.lr", "resourcePool" is "pool"). An
// unknown column is an error with the nearest known one.
Result<Filter> with_known_columns(Filter filter, FilterRows rows);

Value filter_values(const TrialRow& trial, const ExperimentRow& experiment);
Value filter_values(const ExperimentRow& experiment);

}  // namespace dt::core
