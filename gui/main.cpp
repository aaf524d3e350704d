// dt-gui: the desktop client.
#include <QApplication>

#include "gui/shell.h"

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  return dt::gui::run(application);
}
