// All experiments, live: the window's first page.
#pragma once

#include <QWidget>

#include "gui/models/experiments_model.h"

class QLabel;
class QPushButton;

namespace dt::gui {

class Content;
class FilterEdit;
class Session;
class TableView;

class ExperimentsPage : public QWidget {
  Q_OBJECT

 public:
  explicit ExperimentsPage(Session& session, QWidget* parent = nullptr);

 private:
  void build();
  void listen();
  void take_all();
  void take_changed(const std::vector<ExperimentRow>& rows);
  void show_state();
  void show_count();
  void launch();

  Session& session_;
  ExperimentsModel model_;
  TableView* table_;
  FilterEdit* filter_;
  QLabel* count_;
  QPushButton* archived_;
  Content* content_;
};

}  // namespace dt::gui
