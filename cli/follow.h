// Following an experiment to its end: progress lines while it runs, then the table of trials and
// the best one. It waits on Watch, and when the master goes away it says so and waits for it to be
// back.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "base/value.h"
#include "cli/output.h"
#include "client/client.h"
#include "dovetail/v1/experiment.pb.h"
#include "dovetail/v1/trial.pb.h"

namespace dt::cli {

enum class Narration { quiet, lines };

// Returns the exit code of the end: completed, error or canceled.
Result<Exit> follow_experiment(const client::Client& client, std::int64_t id, Narration narration);

// "STOPPED EARLY" of a trial that the search ended before its last rung; the state of any other.
std::string shown_state(const ::dovetail::v1::Trial& trial, const Value& searcher);
Value searcher_of(const ::dovetail::v1::Experiment& experiment);  // of its configuration

// Table of trials and the line `best trial 4 validation_accuracy=0.87 …`.
std::string trial_table(const ::dovetail::v1::Experiment& experiment,
                        const std::vector<::dovetail::v1::Trial>& trials);
std::string best_line(const ::dovetail::v1::Experiment& experiment,
                      const std::vector<::dovetail::v1::Trial>& trials);

}  // namespace dt::cli
