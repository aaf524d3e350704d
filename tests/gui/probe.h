// Lets a test outside the program see what a person would: which widgets are on the screen, where,
// and what they say. It answers lines of JSON on a local socket and changes nothing; clicks and
// keys come from the X server. It is linked into the tests' own dt-gui only.
//
//   {"ask": "find", "name": "launch_button"} → {"found": [{"class": …, "text": …, "rect": […]}]}
#pragma once

#include <QJsonObject>
#include <QLocalServer>
#include <QObject>

namespace dt::gui {

class WatchedApplication;

class Probe : public QObject {
  Q_OBJECT

 public:
  Probe(WatchedApplication& application, const QString& socket_path);

 private:
  void take_connection();
  QJsonObject answer(const QJsonObject& request) const;

  WatchedApplication& application_;
  QLocalServer server_;
};

}  // namespace dt::gui
