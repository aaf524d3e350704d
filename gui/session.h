// What every page is given: the master, its news, the colours of runs, and a way to other pages. A
// page is a QWidget made from a Session and, for a thing's page, its id; it lives as long as its
// tab. A page only wires: requests to models, models to views, clicks to navigate(). GUI thread
// only.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <functional>
#include <vector>

#include "gui/data/experiments.h"
#include "gui/data/links.h"
#include "gui/data/live.h"
#include "gui/data/master.h"
#include "gui/data/page_id.h"
#include "gui/data/run_colors.h"

class QWidget;

namespace dt::gui {

class Session : public QObject {
  Q_OBJECT

 public:
  explicit Session(client::Credentials credentials, QObject* parent = nullptr);

  Master master;
  Live live;
  ExperimentFeed experiments;
  RunColors run_colors;

  void tell_saved(const QString& path, bool is_well);

 Q_SIGNALS:
  // Pages ask, the window does.
  void open_place(dt::gui::Place place);
  void open_link(const dt::gui::Link& link);
  void open_comparison(const std::vector<dt::gui::Link>& links);
  void open_fork(std::int64_t experiment_id);
  // The trial's log, from this time (Unix ms; 0: the end, following).
  void open_logs(std::int64_t trial_id, std::int64_t time_ms);
  // The command palette on these things: what can be done with them.
  void open_palette(const std::vector<dt::gui::Link>& links);
  // A short word in the corner, "killed experiment 7"; an error stays until it is closed.
  void tell(const QString& text);
  // The same with a way back.
  void tell_undoable(const QString& text, const std::function<void()>& undo);
  void tell_problem(const QString& text);
};

}  // namespace dt::gui
