// A trial's log with all that belongs to it: filter by words, expression or rank, follow, find,
// jump to a time, copy, save. The filter works on what is here at once, and where that is only the
// end of the log the master searches the rest. GUI thread only.
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>

#include "gui/data/log_feed.h"
#include "gui/models/log_model.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace dt::gui {

class Content;
class LogView;
class Session;

class LogPanel : public QWidget {
  Q_OBJECT

 public:
  LogPanel(Session& session, QWidget* parent = nullptr);

  void show_trial(std::int64_t trial);
  // Goes there as soon as the lines are here.
  void show_time(std::int64_t time_ms);
  LogView& view() { return *view_; }
  LogModel& model() { return model_; }

 private:
  void make_tools(class QLayout& row);
  void make_find_bar();
  void listen();
  void filter_changed();
  void ask_master();
  bool is_complete() const;
  std::optional<int> chosen_rank() const;
  void show_ranks();
  void show_state();
  void go_to_time();
  void start_find();
  void find(bool forward);
  void take_found(std::optional<qint64> row);
  void show_menu(const QPoint& global);
  void choose_file();
  void save_to(const QString& path);
  void load_all();

  Session& session_;
  LogModel model_;
  LogFeed feed_;
  LogView* view_;
  Content* content_;
  QLineEdit* filter_;
  QToolButton* is_regex_;
  QComboBox* rank_;
  QToolButton* follow_;
  QToolButton* load_all_;
  QLabel* state_;
  QWidget* find_bar_;
  QLineEdit* find_;
  QLabel* found_;
  QTimer ask_later_;
  QTimer quiet_;  // so long an answer may take before the log counts as empty
  std::optional<std::int64_t> wanted_time_;
  Call saving_;
};

}  // namespace dt::gui
