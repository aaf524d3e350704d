// Ctrl+K: type a few letters, press Enter. Lists what it is given and runs what is chosen. GUI
// thread only.
#pragma once

#include <QDialog>

#include "gui/models/palette_model.h"

class QLabel;
class QLineEdit;
class QListView;

namespace dt::gui {

class CommandPalette : public QDialog {
  Q_OBJECT

 public:
  explicit CommandPalette(QWidget* window);

  // `more` makes entries of what was typed: "trial 9" leads to trial 9.
  using More = std::function<std::vector<PaletteEntry>(const QString& typed)>;
  void open_with(const QString& hint, std::vector<PaletteEntry> entries, More more = {});

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void type(const QString& text);
  void run(const QModelIndex& index);
  void step(int by);

  PaletteModel model_;
  std::vector<PaletteEntry> entries_;
  More more_;
  QLineEdit* edit_;
  QListView* list_;
  QLabel* nothing_;
};

}  // namespace dt::gui
