// The first tab of an experiment: the curves of all trials, the rungs of its search, the best
// trial, and the trials below them. GUI thread only.
#pragma once

#include <QWidget>
#include <set>

#include "gui/data/experiment_curves.h"
#include "gui/data/experiment_detail.h"
#include "gui/models/trials_model.h"

namespace dt::gui {

class BestCard;
class Card;
class Chart;
class FaintLabel;
class RungsView;
class Session;
class TrialsPanel;

class ExperimentOverview : public QWidget {
  Q_OBJECT

 public:
  ExperimentOverview(Session& session, ExperimentDetail& detail, ExperimentCurves& curves,
                     TrialsModel& trials, QWidget* parent = nullptr);

  // What the chart shows strong; nothing: the best few.
  void set_selected(std::vector<std::int64_t> trial_ids);
  void set_hidden(const std::set<std::int64_t>& trial_ids);
  void show_names(const HparamNames& names);
  Chart* chart() { return chart_; }
  TrialsPanel* panel() { return panel_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build(TrialsModel& trials);
  void show_curves();
  void show_search();
  void show_best();
  void show_notice();

  Session& session_;
  ExperimentDetail& detail_;
  ExperimentCurves& curves_;
  std::vector<std::int64_t> selected_;
  std::set<std::int64_t> hidden_;
  HparamNames names_;
  Card* chart_card_ = nullptr;
  Chart* chart_ = nullptr;
  Card* rungs_card_ = nullptr;
  RungsView* rungs_ = nullptr;
  FaintLabel* search_words_ = nullptr;
  BestCard* best_ = nullptr;
  TrialsPanel* panel_ = nullptr;
};

}  // namespace dt::gui
