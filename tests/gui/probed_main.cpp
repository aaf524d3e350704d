// dt-gui as the tests run it: all of the product in an application that is watched, with the probe
// beside it, whose socket $DT_GUI_PROBE names.
#include "gui/shell.h"
#include "tests/gui/probe.h"
#include "tests/gui/watched_application.h"

int main(int argc, char** argv) {
  dt::gui::WatchedApplication application(argc, argv);
  dt::gui::Probe probe(application, qEnvironmentVariable("DT_GUI_PROBE"));
  return dt::gui::run(application);
}
