// Chooses the folder that goes with an experiment and shows what would be uploaded: files and sizes
// biggest first, what is left out and by which pattern, and why a folder is refused. Folders are read
// on a worker thread; a newer choice drops the older answer. GUI thread only.
#pragma once

#include <QTimer>
#include <QWidget>

#include "gui/data/master.h"
#include "gui/models/context_model.h"

class QLineEdit;
class QToolButton;
class QTreeView;

namespace dt::gui {

class Content;
class FaintLabel;

class ContextPicker : public QWidget {
  Q_OBJECT

 public:
  explicit ContextPicker(Master& master, QWidget* parent = nullptr);

  void set_folder(const QString& folder);  // empty: none
  QString folder() const { return folder_; }
  // A fork keeps its parent's context until a folder is chosen.
  void set_kept_context(const QString& hash, const QString& parent_name);
  // A refusal of the upload, in its place; gone with the next choice.
  void show_problem(const Status& problem);
  bool has_problem() const;

 Q_SIGNALS:
  void folder_changed(const QString& folder);

 private:
  void build();
  void choose();
  void read();
  void take(Result<ContextTree> tree);
  void show_state();

  Master& master_;
  QString folder_;
  QString kept_hash_;
  QString kept_from_;
  ContextModel model_;
  Status problem_;
  Call reading_;
  QTimer read_later_;
  QLineEdit* edit_;
  QToolButton* clear_;
  FaintLabel* summary_;
  FaintLabel* trouble_;
  QTreeView* tree_;
};

}  // namespace dt::gui
