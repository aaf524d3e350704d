// Widgets need an application before the first test, and none needs a screen. What they remember
// goes to a folder that is gone afterwards.
#include <gtest/gtest.h>

#include <QApplication>
#include <QTemporaryDir>

#include "gui/widgets/theme.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  const QTemporaryDir folder;
  qputenv("DT_CREDENTIALS", folder.filePath(QStringLiteral("credentials")).toLocal8Bit());
  QApplication application(argc, argv);
  QApplication::setQuitOnLastWindowClosed(false);
  dt::gui::set_theme(dt::gui::ThemeChoice::light);
  return RUN_ALL_TESTS();
}
