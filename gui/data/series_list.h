// Which series some trials have, with their last, least and largest values: one request for all of
// them, again when one appears, and at most every two seconds while they grow. GUI thread only.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <set>
#include <vector>

#include "gui/data/live.h"

namespace dt::gui {

struct SeriesRow {
  std::int64_t id = 0;
  std::int64_t trial = 0;
  int rank = 0;
  QString group;  // training, validation, or the user's
  QString name;
  std::int64_t points = 0;
  double last = 0;
  std::int64_t last_step = 0;
  double min = 0;
  double max = 0;
  bool operator==(const SeriesRow&) const = default;
};

class SeriesList : public QObject {
  Q_OBJECT

 public:
  SeriesList(Master& master, Live& live, QObject* parent = nullptr);

  void show_trials(std::vector<std::int64_t> trials);

  const std::vector<SeriesRow>& rows() const { return rows_; }
  bool is_loaded() const { return is_loaded_; }
  const Status& problem() const { return problem_; }

 Q_SIGNALS:
  void changed();  // rows or problem()

 private:
  void take_changes(const Changes& changes);
  void ask();
  void take(Result<std::vector<SeriesRow>> got);

  Master& master_;
  std::vector<std::int64_t> trials_;
  std::vector<SeriesRow> rows_;
  std::set<std::int64_t> known_;
  bool is_loaded_ = false;
  Status problem_;
  Call asking_;
  QTimer ask_later_;
};

}  // namespace dt::gui
