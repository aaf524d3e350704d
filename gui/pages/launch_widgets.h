// The widgets of the launch page and where they stand; the page wires them. Every widget is a child
// of the page. GUI thread only.
#pragma once

class QCheckBox;
class QLabel;
class QMenu;
class QProgressBar;
class QPushButton;
class QTabWidget;
class QTableView;
class QWidget;

namespace dt::gui {

class Card;
class ContextPicker;
class DiffView;
class FaintLabel;
class Master;
class OverridesForm;
class ProblemsModel;
class SearchPreview;
class YamlEditor;

struct LaunchWidgets {
  // the head
  QLabel* title = nullptr;
  QPushButton* open = nullptr;
  QMenu* open_menu = nullptr;
  QPushButton* copy = nullptr;
  QCheckBox* paused = nullptr;
  QPushButton* launch = nullptr;
  // the configuration
  Card* config = nullptr;
  QTabWidget* tabs = nullptr;
  YamlEditor* editor = nullptr;
  DiffView* difference = nullptr;  // of a fork, to its parent; a tab once there is a parent
  QTableView* problems = nullptr;
  ProblemsModel* problems_model = nullptr;
  // beside it
  SearchPreview* preview = nullptr;
  ContextPicker* context = nullptr;
  OverridesForm* overrides = nullptr;
  // the foot: while it is submitted, and what went wrong
  QWidget* progress_row = nullptr;
  FaintLabel* progress_words = nullptr;
  QProgressBar* progress = nullptr;
  QPushButton* cancel = nullptr;
  FaintLabel* trouble = nullptr;
};

LaunchWidgets make_launch_widgets(QWidget* page, Master& master);

}  // namespace dt::gui
