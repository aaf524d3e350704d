#include "gui/data/settings.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <chrono>
#include <utility>

#include "client/credentials.h"
#include "gui/data/file_writer.h"

namespace dt::gui {
namespace {

constexpr std::chrono::milliseconds write_after{500};

QJsonObject read_file(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QJsonDocument::fromJson(file.readAll()).object();  // a broken file is an empty one
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
  QObject::connect(&write_later_, &QTimer::timeout, &write_later_, [this] { hand_over(); });
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

void Settings::hand_over() {
  if (std::exchange(is_dirty_, false)) write_soon(path_, QJsonDocument(values_).toJson());
}

void Settings::write_now() {
  hand_over();
  finish_writing();
}

}  // namespace dt::gui
