// Experiments: submit, end, and the conversation between a search and its trials.
#pragma once

#include "core/master/book.h"

namespace dt::core {

Result<Value> submit_experiment(Step& step, const ExperimentSubmitted& event);
// A list of {"id", "warnings"} or {"error": {"code", "message", "hint"}}, in the order given.
Value submit_experiments(Step& step, const ExperimentsSubmitted& event);
void set_experiment_state(Step& step, ExperimentId experiment, ExperimentState to);
// As they are now: what is done to one of them may make the search add some.
std::vector<TrialId> trials_of(const Book& book, ExperimentId experiment);

// What a program tells a custom search; answers the trial that was made, if one was.
Result<Value> propose_to_search(Step& step, const SearchProposed& event);

// Appends the event, tells the search, and does what it says, in the order of its saying.
void hear_search(Step& step, ExperimentId experiment, Value event);
// Does its search still want to know what becomes of the trial? Not if it has heard of its end, or
// is over itself, or its experiment is stopping.
bool is_judged(const Book& book, const TrialRow& trial);
double progress_of(const Book& book, const Experiment& experiment);
// Of a progress report: moves no decision, so it is no event of the search.
void hear_progress(Step& step, TrialId trial, double fraction);
// Every live trial is killed; the experiment ends with an error.
void fail_experiment(Step& step, ExperimentId experiment, const std::string& message);

// Ends the experiments whose every trial is over and whose every allocation has ended.
void finish_experiments(Step& step);

}  // namespace dt::core
