// What a comparison knows of its things: an experiment stands for its best trial. All of it comes
// by one job in the background, whose requests grow with the things compared and not with what is
// shown of them. GUI thread only.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/data/diff.h"
#include "gui/data/links.h"
#include "gui/data/live.h"

namespace dt::gui {

struct ComparedRun {
  Link link;               // as it was asked for
  std::int64_t trial = 0;  // 0: the experiment has no best trial yet
  std::int64_t experiment = 0;
  QString experiment_name;
  QString state;
  QString metric;  // of the experiment's searcher
  bool smaller_is_better = true;
  std::int64_t created_ms = 0;
  KeyedTexts config;  // the trial's hyperparameters, then the configuration
  KeyedTexts provenance;
  Status provenance_problem;
  Status problem;  // it is gone, or may not be seen
  bool operator==(const ComparedRun&) const = default;
};

// "trial 9" or "experiment 7: trial 9".
QString name_of(const ComparedRun& run);

class ComparedRuns : public QObject {
  Q_OBJECT

 public:
  ComparedRuns(Master& master, Live& live, std::vector<Link> links, QObject* parent = nullptr);

  bool is_loaded() const { return is_loaded_; }
  const Status& problem() const { return problem_; }
  const std::vector<ComparedRun>& runs() const { return runs_; }
  void reload();

 Q_SIGNALS:
  void changed();

 private:
  void take_changes(const Changes& changes);

  Master& master_;
  std::vector<Link> links_;
  std::vector<ComparedRun> runs_;
  bool is_loaded_ = false;
  Status problem_;
  Call asking_;
  QTimer ask_later_;
};

}  // namespace dt::gui
