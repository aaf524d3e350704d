// All experiments, archived ones too, kept current: listed once with each connection, and after
// that only what Live says changed is asked for, in batches. The experiments page, the palette and
// the notifications share it, so a window costs one list. Rows stay while the master is away. GUI
// thread only.
#pragma once

#include <QObject>
#include <QTimer>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "gui/data/live.h"
#include "gui/data/master.h"
#include "gui/data/rows.h"

namespace dt::gui {

class ExperimentFeed : public QObject {
  Q_OBJECT

 public:
  ExperimentFeed(Master& master, Live& live, QObject* parent = nullptr);

  bool is_loaded() const { return is_loaded_; }
  // Why the last list failed; ok when it did not.
  const Status& problem() const { return problem_; }
  std::vector<ExperimentRow> rows() const;  // newest first
  std::size_t size() const { return rows_.size(); }
  const ExperimentRow* find(std::int64_t id) const;

  void reload();
  // One of ours was changed by this window: ask soon, without waiting for Live.
  void ask_for(std::int64_t id);

 Q_SIGNALS:
  void loaded();  // all rows anew, or problem() is why not
  void changed(const std::vector<dt::gui::ExperimentRow>& rows);
  // One that was seen alive is over.
  void ended(const dt::gui::ExperimentRow& row);

 private:
  using Rows = std::vector<ExperimentRow>;
  struct News {
    Rows rows;
    std::vector<std::int64_t> gone;  // deleted
  };

  static Result<News> get_some(const client::Client& client, const std::set<std::int64_t>& ids,
                               const std::stop_token& stop);
  void take_changes(const Changes& changes);
  void ask();
  void take_list(Result<Rows> got);
  void take_some(Result<News> got);
  void go_on();
  void keep(const Rows& rows);

  Master& master_;
  std::map<std::int64_t, ExperimentRow, std::greater<>> rows_;
  bool is_loaded_ = false;
  Status problem_;
  std::set<std::int64_t> asked_;  // changed since they were asked for last
  bool is_asking_ = false;
  QTimer ask_later_;
  Call listing_;
  Call asking_;
};

}  // namespace dt::gui
