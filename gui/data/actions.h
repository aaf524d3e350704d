// What can be done with experiments, as a value: the words of the menu, of the question before it,
// and the dtctl command that does the same. Pure; any thread.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "dovetail/v1/experiment.pb.h"
#include "gui/data/rows.h"

namespace dt::gui {

enum class Verb { pause, activate, cancel, kill };

QString title_of(Verb verb);  // "Pause"
::dovetail::v1::ExperimentVerb wire_of(Verb verb);
QString past_of(Verb verb);  // "paused"
bool is_destructive(Verb verb);
// The verb that takes it back; only pause and activate have one.
std::optional<Verb> opposite_of(Verb verb);

bool can(Verb verb, const ExperimentRow& row);
QString dtctl_command(Verb verb, const std::vector<std::int64_t>& experiments);

// What is asked before a destructive verb: a headline, and what will be lost.
struct Question {
  QString headline;
  QString text;
  QString button;
};
Question question_for(Verb verb, const std::vector<ExperimentRow>& rows);

}  // namespace dt::gui
