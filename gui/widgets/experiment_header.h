// The head of an experiment's page: what it is, how it stands, and what can be done with it. GUI
// thread only.
#pragma once

#include <QWidget>

#include "gui/data/actions.h"
#include "gui/data/rows.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace dt::gui {

class FaintLabel;
class StateLabel;

class ExperimentHeader : public QWidget {
  Q_OBJECT

 public:
  explicit ExperimentHeader(QWidget* parent = nullptr);

  void show_experiment(const ExperimentRow& row);
  // "the master is away: this is what was known at 14:02"; empty: it is not.
  void show_staleness(const QString& words);

 Q_SIGNALS:
  void verb_chosen(dt::gui::Verb verb);
  void fork_chosen();
  void copy_chosen();
  void parent_chosen(std::int64_t experiment_id);
  void menu_wanted(const QPoint& global);

 private:
  QPushButton* add_button(const QString& name, int drawing, const QString& words);
  void build_rows();

  QLabel* name_;
  QLabel* id_;
  StateLabel* state_;
  QLabel* trials_;
  QProgressBar* progress_;
  QLabel* percent_;
  QPushButton* pause_;
  QPushButton* activate_;
  QPushButton* cancel_;
  QPushButton* kill_;
  QPushButton* fork_;
  QPushButton* copy_;
  QPushButton* more_;
  QPushButton* parent_;
  FaintLabel* message_;
  FaintLabel* staleness_;
  std::int64_t parent_id_ = 0;
};

}  // namespace dt::gui
