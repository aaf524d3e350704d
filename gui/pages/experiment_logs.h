// The logs of an experiment's trials, one at a time: a trial is chosen, its log is read below.
// Nothing is asked for before the tab is seen. GUI thread only.
#pragma once

#include <QWidget>
#include <map>

#include "gui/data/trial_rows.h"

class QComboBox;

namespace dt::gui {

class LogPanel;
class Session;

class ExperimentLogs : public QWidget {
  Q_OBJECT

 public:
  explicit ExperimentLogs(Session& session, QWidget* parent = nullptr);

  // Those that run first, then by merit; what is chosen stays.
  void set_trials(const std::map<std::int64_t, TrialRow>& trials,
                  const std::vector<std::int64_t>& merit);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fill();
  void show_chosen();

  std::vector<std::pair<std::int64_t, QString>> choices_;  // trials and their words
  QComboBox* trial_;
  LogPanel* log_;
  std::int64_t shown_ = 0;
};

}  // namespace dt::gui
