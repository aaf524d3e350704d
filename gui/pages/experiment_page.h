// One experiment: its head, and below it an overview, all trials, its configuration and their logs.
// It wires: what the master says to models, models to views, clicks to the session. GUI thread
// only.
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <set>

#include "gui/data/experiment_curves.h"
#include "gui/data/experiment_detail.h"
#include "gui/models/trials_model.h"

class QTabWidget;

namespace dt::gui {

class ConfigView;
class Content;
class ExperimentHeader;
class ExperimentLogs;
class ExperimentOverview;
class Session;
class TrialsPanel;

class ExperimentPage : public QWidget {
  Q_OBJECT

 public:
  ExperimentPage(Session& session, std::int64_t id, QWidget* parent = nullptr);
  ~ExperimentPage() override;

  TrialsModel& trials() { return trials_; }

 private:
  void build();
  void wire();
  void wire_panel(TrialsPanel* panel);

  void show_experiment();
  void show_config();
  void show_state();
  void show_trials_state();
  void take_trials(const std::vector<TrialRow>& changed);
  void take_curves(const std::vector<std::int64_t>& trial_ids);
  TrialRow with_spark(TrialRow row) const;
  void learn_names(const std::vector<TrialRow>& changed);
  void toggle_shown(const std::vector<std::int64_t>& trial_ids);

  Session& session_;
  const std::int64_t id_;
  ExperimentDetail detail_;
  ExperimentCurves curves_;
  TrialsModel trials_;
  HparamNames names_;
  std::set<QString> known_names_;
  std::map<std::int64_t, std::shared_ptr<const std::vector<double>>> sparks_;
  std::set<std::int64_t> hidden_;

  Content* content_ = nullptr;
  ExperimentHeader* header_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  ExperimentOverview* overview_ = nullptr;
  Content* trials_content_ = nullptr;
  TrialsPanel* panel_ = nullptr;
  ConfigView* config_ = nullptr;
  ExperimentLogs* logs_ = nullptr;
  QTimer tick_;  // running times
};

}  // namespace dt::gui
