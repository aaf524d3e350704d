// One trial as the master knows it: its state, attempts and checkpoints, kept up to date; its
// environment and provenance, asked for when somebody looks. Plain values; text is as it came. GUI
// thread only.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <optional>
#include <vector>

#include "dovetail/v1/trial.pb.h"
#include "gui/data/live.h"

namespace dt::gui {

struct TrialState {
  std::int64_t id = 0;
  std::int64_t experiment = 0;
  int number = 0;
  QString state;  // as the API says
  QString hparams_json;
  std::uint32_t seed = 0;
  int attempts = 0;
  int restarts = 0;
  bool is_stopped_early = false;
  std::optional<double> latest;
  std::int64_t latest_step = 0;
  std::optional<double> best;
  std::int64_t best_step = 0;
  double progress = 0;
  std::int64_t created_ms = 0;
  std::int64_t ended_ms = 0;  // 0: not yet
  QString message;
  QString waiting_reason;
  bool operator==(const TrialState&) const = default;
};

struct AttemptRow {
  int attempt = 0;
  QString allocation;
  QString state;
  int ranks = 0;
  std::int64_t created_ms = 0;
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
  QString outcome;
  QString resumed_from;
  QString nodes;  // "node-a (0, 1), node-b (0)"
  bool operator==(const AttemptRow&) const = default;
};

struct CheckpointRow {
  QString id;
  std::int64_t step = 0;
  QString state;
  std::int64_t bytes = 0;
  std::int64_t created_ms = 0;
  QString allocation;
  bool operator==(const CheckpointRow&) const = default;
};

struct VariableRow {
  QString name;
  QString value;
  QString reason;
  bool operator==(const VariableRow&) const = default;
};

struct FactRow {
  QString group;
  QString name;
  QString value;
  bool operator==(const FactRow&) const = default;
};

class TrialDetail : public QObject {
  Q_OBJECT

 public:
  TrialDetail(Master& master, Live& live, std::int64_t trial, QObject* parent = nullptr);

  std::int64_t trial() const { return trial_; }
  bool is_loaded() const { return is_loaded_; }
  const Status& problem() const { return problem_; }
  const TrialState& state() const { return state_; }
  const std::vector<AttemptRow>& attempts() const { return attempts_; }
  const std::vector<CheckpointRow>& checkpoints() const { return checkpoints_; }

  // Of an attempt (0: the latest) and rank; the answer is a signal.
  void ask_environment(int attempt, int rank);
  void ask_provenance();
  void reload();

 Q_SIGNALS:
  void changed();           // or problem()
  void attempts_changed();  // there is a new one: curves may be hidden
  void environment_came(const dt::Result<std::vector<dt::gui::VariableRow>>& variables);
  void provenance_came(const dt::Result<std::vector<dt::gui::FactRow>>& facts);

 private:
  void take_changes(const Changes& changes);
  void take(Result<v1::GetTrialResponse> got);
  void ask_most_batches();
  void judge_stop();

  Master& master_;
  std::int64_t trial_;
  bool is_loaded_ = false;
  Status problem_;
  TrialState state_;
  std::vector<AttemptRow> attempts_;
  std::vector<CheckpointRow> checkpoints_;
  std::optional<std::int64_t> most_batches_;  // of the experiment; once it is needed
  Call asking_;
  Call asking_experiment_;
  Call environment_;
  Call provenance_;
  QTimer ask_later_;
};

// Over: nothing will change any more.
bool is_trial_over(const QString& state);

}  // namespace dt::gui
