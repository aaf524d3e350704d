#include "gui/data/file_writer.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QThreadPool>

namespace dt::gui {
namespace {

void write_file(const QString& path, const QByteArray& bytes) {
  QDir().mkpath(QFileInfo(path).path());
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
  file.write(bytes);
  file.commit();
}

QThreadPool& writer() {
  static QThreadPool* pool = [] {
    auto* made = new QThreadPool();  // never destroyed: at exit Qt is gone before statics are
    made->setMaxThreadCount(1);      // so the last state is written last
    return made;
  }();
  return *pool;
}

}  // namespace

void write_soon(const QString& path, const QByteArray& bytes) {
  writer().start([path, bytes] { write_file(path, bytes); });
}

void finish_writing() { writer().waitForDone(); }

}  // namespace dt::gui
