// What the master says, as plain rows that tables compare and show. Text is as it came: whoever
// shows it makes it harmless with plain() or one_line() of data/format.h. Any thread.
#pragma once

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "dovetail/v1/admin.pb.h"
#include "dovetail/v1/experiment.pb.h"
#include "dovetail/v1/job.pb.h"

namespace dt::gui {

struct ExperimentRow {
  std::int64_t id = 0;
  QString name;
  QString owner;
  QString state;  // as the API says: "ACTIVE", "STOPPING_CANCELED", …
  QString searcher;
  QString metric;
  bool smaller_is_better = true;
  double progress = 0;
  int trials = 0;
  int trials_running = 0;
  int trials_completed = 0;
  int trials_errored = 0;
  std::int64_t best_trial = 0;  // 0: none yet
  std::optional<double> best;
  std::int64_t created_ms = 0;
  std::int64_t ended_ms = 0;  // 0: not yet
  QString message;
  int priority = 0;
  QStringList labels;
  QString description;
  std::int64_t forked_from = 0;
  int slots_per_trial = 0;
  bool is_archived = false;
  double weight = 0;
  std::optional<int> max_slots;  // none: no limit
  bool operator==(const ExperimentRow&) const = default;
};

struct SlotRow {
  QString id;
  QString kind;        // cpu, cuda
  QString device;      // "NVIDIA A100"
  QString allocation;  // empty: free
  std::int64_t trial = 0;
  std::int64_t experiment = 0;
  QString fault;             // why nothing is placed on it; empty: it is well
  bool is_disabled = false;  // by people
  bool operator==(const SlotRow&) const = default;
};

struct AgentRow {
  QString id;
  QString name;
  QString address;
  QString pool;
  QString state;      // connected, silent
  QString admission;  // enabled, draining, disabled: as people ordered
  QString version;
  std::int64_t joined_ms = 0;
  std::vector<SlotRow> slots;
  bool operator==(const AgentRow&) const = default;
};

struct JobRow {
  std::int64_t experiment = 0;
  QString name;
  QString owner;
  QString pool;
  int priority = 0;
  QString state;     // running, queued, paused
  int position = 0;  // among the pool's that wait, from 1; 0: does not wait
  int slots_held = 0;
  int slots_wanted = 0;
  int trials_running = 0;
  int trials_waiting = 0;
  QString reason;  // why it waits
  std::int64_t submitted_ms = 0;
  int order = 0;  // as the scheduler serves them
  bool operator==(const JobRow&) const = default;
};

ExperimentRow row_of(const ::dovetail::v1::Experiment& experiment);
AgentRow row_of(const ::dovetail::v1::AgentInfo& agent);
JobRow row_of(const ::dovetail::v1::Job& job);

// COMPLETED, CANCELED or ERROR: nothing will change any more.
bool is_over(const QString& state);
// DELETING or DELETE_FAILED: all that can be done is to delete it again.
bool is_deleting(const QString& state);

}  // namespace dt::gui

Q_DECLARE_METATYPE(dt::gui::ExperimentRow)
