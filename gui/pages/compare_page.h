// Several trials side by side (an experiment stands for its best trial): their curves over each
// other, what differs in configuration and provenance, and the values of each metric. GUI thread
// only.
#pragma once

#include <QWidget>
#include <vector>

#include "gui/data/compared_runs.h"
#include "gui/models/compare_models.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QTabWidget;

namespace dt::gui {

class Content;
class MetricGrid;
class Session;
class TableView;

class ComparePage : public QWidget {
  Q_OBJECT

 public:
  ComparePage(Session& session, std::vector<Link> links, QWidget* parent = nullptr);

 private:
  QWidget* make_header();
  void make_tabs();
  QWidget* make_diff(DiffModel& model, const QString& name, QCheckBox*& all, Content*& content);
  void show_runs();
  void show_base_choice();
  void show_diffs();
  void show_diff(DiffModel& model, Content& content, const QCheckBox& all,
                 const std::vector<KeyedTexts>& things, const QString& what);
  void show_summary();
  std::vector<QString> names() const;
  std::size_t base() const;

  Session& session_;
  ComparedRuns runs_;
  DiffModel config_model_;
  DiffModel provenance_model_;
  SummaryModel summary_model_;
  QComboBox* base_;
  QLabel* words_;
  QTabWidget* tabs_;
  Content* content_;
  MetricGrid* metrics_;
  Content* config_ = nullptr;
  Content* provenance_ = nullptr;
  Content* summary_ = nullptr;
  QCheckBox* all_config_ = nullptr;
  QCheckBox* all_provenance_ = nullptr;
};

// The rail's place: says how to compare, and takes what is to be compared by name.
class ComparePlace : public QWidget {
  Q_OBJECT

 public:
  explicit ComparePlace(Session& session, QWidget* parent = nullptr);

 private:
  void compare();

  Session& session_;
  QLineEdit* names_;
  QLabel* problem_;
};

// "trial 9, trial 10, experiment 7", or numbers alone, which are trials.
std::vector<Link> links_in(const QString& text);

}  // namespace dt::gui
