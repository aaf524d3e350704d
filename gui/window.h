// The window: header, rail of places, pages as tabs beside it, messages in the corner. It opens
// what pages ask for, keeps the way back, remembers what was open, and says how the connection is.
// It only wires; pages, tabs and the palette are their own. GUI thread only.
#pragma once

#include <QMainWindow>
#include <QStringList>
#include <QTimer>

#include "gui/data/page_id.h"
#include "gui/session.h"
#include "gui/widgets/theme.h"

namespace dt::gui {

class Banner;
class CommandPalette;
class HeaderBar;
class Rail;
class Toasts;
class Workspace;

class Window : public QMainWindow {
  Q_OBJECT

 public:
  explicit Window(client::Credentials credentials, QWidget* parent = nullptr);
  ~Window() override;

  Session& session() { return session_; }
  // Its page comes to the front; a new one if there is none yet.
  void open(const PageId& id);
  void use_theme(ThemeChoice choice);

 Q_SIGNALS:
  void connection_wanted();  // another master

 protected:
  void closeEvent(QCloseEvent* event) override;
  void moveEvent(QMoveEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build();
  void listen_to_pages();
  void add_keys();
  void restore_layout();
  void save_layout();

  void show_connection();
  void ask_who_it_is();
  void note_current();
  void go(int by);
  void show_menu();
  void open_palette();
  void open_palette_on(const std::vector<Link>& links);
  void next_theme();

  Session session_;
  HeaderBar* header_ = nullptr;
  Banner* banner_ = nullptr;
  Rail* rail_ = nullptr;
  Workspace* workspace_ = nullptr;
  Toasts* toasts_ = nullptr;
  CommandPalette* palette_ = nullptr;

  QStringList history_;  // pages in the order in which they were in front
  qsizetype history_at_ = -1;
  bool is_going_ = false;  // through the history, which therefore stays as it is
  bool was_online_ = false;
  qint64 online_until_ms_ = 0;
  Call asking_;
};

}  // namespace dt::gui
