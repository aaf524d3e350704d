#include "gui/data/settings.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QThreadPool>
#include <chrono>
#include <utility>

#include "client/credentials.h"

namespace dt::gui {
namespace {

constexpr std::chrono::milliseconds write_after{500};

QJsonObject read_file(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QJsonDocument::fromJson(file.readAll()).object();  // a broken file is an empty one
}

// A layout that cannot be kept is no reason to disturb anyone, so failures are silent.
void write_file(const QString& path, const QByteArray& text) {
  QDir().mkpath(QFileInfo(path).path());
  QFile file(path + QStringLiteral(".new"));
  if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) return;
  const bool is_whole = file.write(text) == text.size() && file.flush();
  file.close();
  if (is_whole) rename(QFile::encodeName(file.fileName()), QFile::encodeName(path));
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

Settings& Settings::get() {
  static auto* settings =
      new Settings(QFileInfo(QString::fromStdString(client::credentials_path())).path() +
                   QStringLiteral("/dt-gui.json"));
  return *settings;
}

Settings::Settings(QString path) : path_(std::move(path)), values_(read_file(path_)) {
  write_later_.setSingleShot(true);
  QObject::connect(&write_later_, &QTimer::timeout, &write_later_, [this] { write_soon(); });
}

Settings::~Settings() { write_now(); }

void Settings::set(const QString& key, const QJsonValue& value) {
  if (values_.value(key) == value) return;
  values_.insert(key, value);
  is_dirty_ = true;
  if (!write_later_.isActive()) write_later_.start(write_after);
}

QByteArray Settings::bytes(const QString& key) const {
  return QByteArray::fromBase64(value(key).toString().toLatin1());
}

void Settings::set_bytes(const QString& key, const QByteArray& value) {
  set(key, QString::fromLatin1(value.toBase64()));
}

void Settings::write_soon() {
  if (!std::exchange(is_dirty_, false)) return;
  const QByteArray text = QJsonDocument(values_).toJson();
  writer().start([path = path_, text] { write_file(path, text); });
}

void Settings::write_now() {
  write_soon();
  writer().waitForDone();
}

}  // namespace dt::gui
