// One trial: what it is and how it goes, its charts, log, checkpoints, attempts, environment and
// provenance. GUI thread only.
#pragma once

#include <QWidget>

#include "gui/data/trial_detail.h"
#include "gui/models/trial_models.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QTabWidget;
class QToolButton;

namespace dt::gui {

class Content;
class LogPanel;
class MetricGrid;
class Session;
class StateLabel;
class TableView;

class TrialPage : public QWidget {
  Q_OBJECT

 public:
  TrialPage(Session& session, std::int64_t trial, QWidget* parent = nullptr);

 private:
  struct Table {  // a tab with one table
    TableView* view = nullptr;
    Content* content = nullptr;
  };

  QWidget* make_header();
  void make_tabs();
  QWidget* make_environment();
  Table make_table(TableModel& model, const QString& name);
  void show_detail();
  void show_header();
  void show_tables();
  void show_tab(int tab);
  void ask_environment();
  void take_environment(const Result<std::vector<VariableRow>>& variables);
  void take_provenance(const Result<std::vector<FactRow>>& facts);
  QString progress_words() const;
  QString waiting_words() const;

  Session& session_;
  TrialDetail detail_;
  AttemptsModel attempts_model_;
  CheckpointsModel checkpoints_model_;
  VariablesModel variables_model_;
  FactsModel facts_model_;

  QLabel* title_;
  StateLabel* state_;
  QToolButton* experiment_;
  QProgressBar* progress_;
  QLabel* hparams_;
  QLabel* words_;
  QLabel* message_;
  QTabWidget* tabs_;
  Content* content_;
  MetricGrid* metrics_;
  LogPanel* log_;
  QToolButton* rank_view_;
  QComboBox* attempt_;
  QComboBox* rank_;
  Table attempts_;
  Table checkpoints_;
  Table variables_;
  Table facts_;
};

}  // namespace dt::gui
