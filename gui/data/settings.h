// What the window remembers: layout, columns, theme. In memory, read once at start; every change is
// written half a second later (file_writer.h), which is what a crash may lose. GUI thread only.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QString>
#include <QTimer>

namespace dt::gui {

class Settings {
 public:
  // dt-gui.json beside the credentials.
  static Settings& get();

  explicit Settings(QString path);
  ~Settings();  // writes what is not written yet

  QJsonValue value(const QString& key) const { return values_.value(key); }
  void set(const QString& key, const QJsonValue& value);
  QByteArray bytes(const QString& key) const;
  void set_bytes(const QString& key, const QByteArray& value);

  void clear() { values_ = {}; }  // for tests
  void write_now();               // and waits; for the end of the program
  const QString& path() const { return path_; }

 private:
  void hand_over();  // to the thread that writes

  QString path_;
  QJsonObject values_;
  bool is_dirty_ = false;
  QTimer write_later_;
};

}  // namespace dt::gui
