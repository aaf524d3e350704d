// Experiments: submit, the verbs, and the conversation between a search and its trials.
#pragma once

#include "core/master/book.h"

namespace dt::core {

Result<Value> submit_experiment(Step& step, const ExperimentSubmitted& event);
Result<Value> obey_verb(Step& step, const VerbOrdered& event);

// Appends the event, tells the search, and does what it says, in the order of its saying.
void hear_search(Step& step, ExperimentId experiment, Value event);
// Of a progress report: moves no decision, so it is no event of the search.
void hear_progress(Step& step, TrialId trial, double fraction);
// Every live trial is killed; the experiment ends with an error.
void fail_experiment(Step& step, ExperimentId experiment, const std::string& message);

// Ends the experiments whose every trial is over and whose every allocation has ended.
void finish_experiments(Step& step);

}  // namespace dt::core
