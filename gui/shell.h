// The program around the window: the command line, which master to use, and the question when none
// is known. run() is all of dt-gui; the tests' own program calls it too, so that what they press is
// what ships. GUI thread only.
#pragma once

class QApplication;

namespace dt::gui {

// Until the last window is closed; gives the exit code. The application is given so that a test may
// bring one that is watched.
int run(QApplication& application);

}  // namespace dt::gui
