// A log by itself: of a trial that was asked for, at a time perhaps, or of one that is picked here.
// GUI thread only.
#pragma once

#include <QWidget>

#include "gui/data/master.h"
#include "gui/data/page_id.h"

class QComboBox;
class QLabel;

namespace dt::gui {

class Content;
class LogPanel;
class Session;

class LogPage : public QWidget {
  Q_OBJECT

 public:
  LogPage(Session& session, const LogOf& log, QWidget* parent = nullptr);

  void show_time(std::int64_t time_ms);

 private:
  LogPanel* panel_;
};

// The rail's place: an experiment, one of its trials, and the log of that.
class LogsPlace : public QWidget {
  Q_OBJECT

 public:
  explicit LogsPlace(Session& session, QWidget* parent = nullptr);

 private:
  void show_experiments();
  void ask_trials();
  void show_trial();

  Session& session_;
  QComboBox* experiment_;
  QComboBox* trial_;
  QLabel* problem_;
  Content* content_;
  LogPanel* panel_;
  Call asking_;
};

}  // namespace dt::gui
