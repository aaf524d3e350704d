// Whether the desktop is dark: what its palette says at start, then what the freedesktop settings
// portal says, when there is one. Asks without waiting. GUI thread only.
#pragma once

#include <QDBusVariant>
#include <QObject>
#include <QString>

namespace dt::gui {

class SystemTheme : public QObject {
  Q_OBJECT

 public:
  static SystemTheme& get();  // first called before a palette of our own is set

  bool is_dark() const { return is_dark_; }

 Q_SIGNALS:
  void changed();

 private Q_SLOTS:
  void take(const QString& group, const QString& key, const QDBusVariant& value);

 private:
  SystemTheme();
  void ask_portal();
  void set(bool is_dark);

  bool is_dark_ = false;
};

}  // namespace dt::gui
