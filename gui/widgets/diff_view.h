// The difference of two texts as people read it: removed and added lines with their numbers, a few
// lines around them. Read-only, selectable, plain text. GUI thread only.
#pragma once

#include <QPlainTextEdit>

#include "gui/data/line_diff.h"

namespace dt::gui {

class DiffView : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit DiffView(QWidget* parent = nullptr);

  void set_texts(const QString& before, const QString& after);
  int changed_lines() const;  // removed and added

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show_lines();

  std::vector<DiffLine> lines_;
};

}  // namespace dt::gui
