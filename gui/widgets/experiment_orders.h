// Orders to the master about experiments, one or many: asked before what cannot be taken back,
// given as one piece of work whatever is closed meanwhile, and answered by a message that names
// each that failed with its reason. GUI thread only.
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "gui/data/actions.h"

class QWidget;

namespace dt::gui {

class Session;

// Asks once if the verb is destructive, naming what will be lost; then does it and tells.
void change_experiments(Session& session, Verb verb, const std::vector<std::int64_t>& ids,
                        QWidget* parent);

// Ended ones go on. Asks for changes of their configuration first.
void continue_experiments(Session& session, const std::vector<std::int64_t>& ids, QWidget* parent);
void continue_trial(Session& session, std::int64_t trial_id, QWidget* parent);

// Asks for priority, weight and limit in the queue; what is left alone stays.
void queue_experiments(Session& session, const std::vector<std::int64_t>& ids, QWidget* parent);

// As far as the window knows them; of others the row has only its id.
std::vector<ExperimentRow> known_rows(const Session& session, const std::vector<std::int64_t>& ids);

}  // namespace dt::gui
