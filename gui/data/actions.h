// What can be done with experiments, as a value: the words of the menu, of the question before it,
// of the answer, and the dtctl command that does the same. Pure; any thread.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "base/status.h"
#include "dovetail/v1/experiment.pb.h"
#include "gui/data/rows.h"

namespace dt::gui {

enum class Verb { pause, activate, cancel, kill, archive, unarchive, erase };

QString title_of(Verb verb);  // "Pause"
::dovetail::v1::ExperimentVerb wire_of(Verb verb);
QString past_of(Verb verb);  // "paused"
bool is_destructive(Verb verb);
// The verb that takes it back; what stops, kills or deletes has none.
std::optional<Verb> opposite_of(Verb verb);

bool can(Verb verb, const ExperimentRow& row);
// An ended one can go on, unless its search has nothing left to do.
bool can_continue(const ExperimentRow& row);
// It has a place in the queue that can be changed.
bool can_queue(const ExperimentRow& row);
QString dtctl_command(Verb verb, const std::vector<std::int64_t>& experiments);

// "experiment 7", "3 experiments".
QString names_of(const std::vector<std::int64_t>& experiments);
// "experiment 7, fashion-asha", "3 experiments".
QString names_of(const std::vector<ExperimentRow>& rows);

// What is asked before a destructive verb: a headline, and what will be lost.
struct Question {
  QString headline;
  QString text;
  QString button;
};
Question question_for(Verb verb, const std::vector<ExperimentRow>& rows);

// What became of an order for one of many.
struct Outcome {
  std::int64_t experiment = 0;
  Status problem;
  QString note;  // what it could not do, if anything
};
using Outcomes = std::vector<Outcome>;

std::vector<std::int64_t> done_in(const Outcomes& outcomes);
// Each that failed with its reason, a line each; empty: none.
QString problems_in(const Outcomes& outcomes);
QString notes_in(const Outcomes& outcomes);

}  // namespace dt::gui
