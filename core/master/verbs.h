// What people order of an experiment: pause, activate, cancel and kill one that lives; archive,
// unarchive and delete one that has ended. State rules are core/experiment/transitions.h's; a verb
// that does not fit the state is an error that names both. Ordering what is so already is no error.
#pragma once

#include "core/master/book.h"

namespace dt::core {

// The answer is {"state": …}, of archive and unarchive with {"archived": …}, of delete perhaps with
// {"warning": …}.
Result<Value> obey_verb(Step& step, ExperimentId id, Verb verb);

// One after the other, in the order given: a list of {"id", "state", …} or {"id", "error": {"code",
// "message", "hint"}}.
Value obey_verbs(Step& step, const VerbsOrdered& event);

// Nothing but its own row is left of a deleted experiment; or not all of it could be removed.
Result<Value> end_deletion(Step& step, const DeletionEnded& event);

// In memory, or the error that says why not: it never was, or it is deleted.
Result<ExperimentId> present(const Book& book, ExperimentId id);

}  // namespace dt::core
