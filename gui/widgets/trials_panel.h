// The trials table of an experiment's page with its filter line and its heat maps. Space shows or
// hides a trial's curve; what else keys and clicks mean is attached to table(). GUI thread only.
#pragma once

#include <QTimer>
#include <QWidget>
#include <map>
#include <memory>
#include <vector>

#include "gui/models/trials_model.h"

class QMenu;

namespace dt::gui {

class FaintLabel;
class FilterEdit;
class HeatDelegate;
class SparkDelegate;
class TableView;

class TrialsPanel : public QWidget {
  Q_OBJECT

 public:
  // `name` is what its layout is kept under.
  TrialsPanel(TrialsModel& model, const QString& name, QWidget* parent = nullptr);
  ~TrialsPanel() override;

  TableView& table() { return *table_; }
  std::vector<std::int64_t> selected() const;
  void repaint_times();  // they run on without news

 Q_SIGNALS:
  void selection_changed(const std::vector<std::int64_t>& trial_ids);
  void shown_toggled(const std::vector<std::int64_t>& trial_ids);

 private:
  void build();
  void wire();
  void fill_heat_menu(QMenu& menu);
  void set_heat(const QString& column, bool on);
  void measure_heat();
  void place_delegates();
  int column_of(const QString& name) const;

  TrialsModel& model_;
  TableView* table_;
  FilterEdit* filter_ = nullptr;
  FaintLabel* count_ = nullptr;
  std::map<QString, std::unique_ptr<HeatDelegate>> heat_;  // by column
  std::unique_ptr<SparkDelegate> spark_;
  QTimer measure_later_;
};

}  // namespace dt::gui
