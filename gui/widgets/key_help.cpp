#include "gui/widgets/key_help.h"

#include <QDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <vector>

#include "gui/widgets/theme.h"

namespace dt::gui {
namespace {

struct Key {
  const char* keys;
  const char* what;
};
struct Group {
  const char* title;
  std::vector<Key> keys;
};

const std::vector<std::vector<Group>>& columns() {
  static const std::vector<std::vector<Group>> all{
      {{"Anywhere",
        {{"Ctrl+K", "Search or command"},
         {"Ctrl+1 … 6", "Places of the rail"},
         {"Alt+← / Alt+→", "Back, forward"},
         {"Ctrl+Tab", "Next tab"},
         {"Ctrl+W", "Close the tab"},
         {"Ctrl+Shift+O", "Page in its own window"},
         {"Ctrl+Shift+E", "Page to the other side"},
         {"Ctrl+Shift+T", "Light or dark"},
         {"?", "This list"}}},
       {"Charts",
        {{"Drag", "Zoom in"},
         {"Space+drag, wheel", "Pan"},
         {"Double click", "Show all"},
         {"L", "Logarithmic y axis"},
         {"S", "Smoothing"}}}},
      {{"Tables",
        {{"Ctrl+F or /", "Filter"},
         {"Enter", "Open"},
         {"Shift / Ctrl+click", "Select several"},
         {"Click, shift-click", "Sort, by several (header)"},
         {"Right click", "Menu; columns (header)"},
         {"Space", "Show or hide the run"},
         {"C", "Compare the selection"},
         {"F", "Fork the selection"},
         {".", "Commands for the selection"},
         {"Esc", "Select nothing"}}},
       {"Filters",
        {{"state = active", "Compare: = != < <= > >= ~ !~"},
         {"best > 0.8 or not asha", "and, or, not, ( )"},
         {"time > 2h", "Units: % s m h d k M"}}}}};
  return all;
}

QLabel* label(const QString& text, QWidget* parent) {
  auto* made = new QLabel(text, parent);
  made->setTextFormat(Qt::PlainText);
  return made;
}

void add_group(QGridLayout& layout, const Group& group, QWidget* parent) {
  int row = layout.rowCount();
  QLabel* title = label(QString::fromUtf8(group.title), parent);
  title->setFont(bold_font());
  title->setContentsMargins(0, row > 1 ? grid : 0, 0, 0);
  layout.addWidget(title, row++, 0, 1, 2);
  for (const Key& key : group.keys) {
    QLabel* keys = label(QString::fromUtf8(key.keys), parent);
    keys->setFont(mono_font());
    layout.addWidget(keys, row, 0);
    QLabel* what = label(QString::fromUtf8(key.what), parent);
    what->setProperty("faint", true);
    layout.addWidget(what, row++, 1);
  }
}

}  // namespace

void show_key_help(QWidget* window) {
  auto* dialog = new QDialog(window);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(QStringLiteral("Keys"));
  auto* layout = new QHBoxLayout(dialog);
  layout->setContentsMargins(3 * grid, 3 * grid, 3 * grid, 3 * grid);
  layout->setSpacing(5 * grid);
  for (const std::vector<Group>& column : columns()) {
    auto* table = new QGridLayout();
    table->setHorizontalSpacing(2 * grid);
    table->setVerticalSpacing(half_grid);
    for (const Group& group : column) add_group(*table, group, dialog);
    table->setRowStretch(table->rowCount(), 1);
    layout->addLayout(table);
  }
  dialog->open();
}

}  // namespace dt::gui
