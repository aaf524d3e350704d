// What the window remembers in files: written whole, one after another, by one thread of the
// program's, so that nothing waits for a disk and the state that was saved last is the one that
// stays. A file replaces the old one in one step and is readable for its owner alone. A file that
// cannot be kept is no reason to disturb anyone, so failures are silent. GUI thread only.
#pragma once

#include <QByteArray>
#include <QString>

namespace dt::gui {

void write_soon(const QString& path, const QByteArray& bytes);
void finish_writing();  // waits; for the end of the program

}  // namespace dt::gui
