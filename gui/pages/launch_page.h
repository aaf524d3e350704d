// Launches an experiment: a configuration, checked at its lines while it is typed, a code folder,
// what the search will cost, and the way to the master. A fork starts from another experiment's
// configuration and shows what differs. What was typed comes back after a crash. GUI thread only.
#pragma once

#include <QTimer>
#include <QWidget>
#include <optional>

#include "gui/data/launch_check.h"
#include "gui/data/launch_draft.h"
#include "gui/data/launch_submit.h"
#include "gui/pages/launch_widgets.h"

namespace dt::gui {

class Session;

class LaunchPage : public QWidget {
  Q_OBJECT

 public:
  // `fork_of`: the experiment to start from; 0: none. `memory_path`: where the draft is kept.
  explicit LaunchPage(Session& session, std::int64_t fork_of = 0, QWidget* parent = nullptr,
                      const QString& memory_path = LaunchMemory::default_path());
  ~LaunchPage() override;

  LaunchDraft draft() const;
  void open_config(const QString& path);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void wire();
  void remember();
  void recall();
  void take_memory(Result<QByteArray> bytes);
  void load_parent();
  void set_parent(const ForkParent& parent);
  void show_draft(const LaunchDraft& draft);
  void fill_open_menu();
  void choose_config();
  void take_config(const QString& path, Result<QByteArray> bytes);

  void edited();
  void show_check();
  void show_problems(const std::vector<ConfigProblem>& problems);
  void show_preview();
  QString check_words() const;

  void launch();
  void go_on();  // once the check has an answer
  void go_to_problem(int row);
  void show_submit();
  void take_created(std::int64_t experiment_id, const QStringList& warnings);
  void take_failure(const Status& status, bool is_context);

  Session& session_;
  const std::int64_t fork_of_;
  LaunchMemory memory_;
  LaunchCheck check_;
  LaunchSubmit submit_;
  LaunchWidgets widgets_;
  std::optional<ForkParent> parent_;
  QString config_path_;
  QStringList recent_configs_;
  QTimer remember_later_;
  Call recalling_;
  Call loading_;
  bool is_recalled_ = false;  // what was kept is shown, or there was none
  bool wants_launch_ = false;
};

}  // namespace dt::gui
