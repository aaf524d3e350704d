#include "gui/widgets/system_theme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QPalette>

namespace dt::gui {
namespace {

const QString service = QStringLiteral("org.freedesktop.portal.Desktop");
const QString path = QStringLiteral("/org/freedesktop/portal/desktop");
const QString settings = QStringLiteral("org.freedesktop.portal.Settings");
const QString appearance = QStringLiteral("org.freedesktop.appearance");
const QString color_scheme = QStringLiteral("color-scheme");

constexpr uint prefers_dark = 1;  // 2: prefers light, 0: says nothing

// Read() wraps its answer in a second variant.
QVariant unwrapped(QVariant value) {
  while (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
  return value;
}

}  // namespace

SystemTheme& SystemTheme::get() {
  static SystemTheme* the_theme = new SystemTheme();  // lives as long as the application
  return *the_theme;
}

SystemTheme::SystemTheme() : QObject(qApp) {
  const QPalette palette = QApplication::palette();
  is_dark_ = palette.color(QPalette::Window).lightness() < 128;
  if (qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS")) ask_portal();
}

void SystemTheme::ask_portal() {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  bus.connect(service, path, settings, QStringLiteral("SettingChanged"), this,
              SLOT(take(QString, QString, QDBusVariant)));
  QDBusMessage read =
      QDBusMessage::createMethodCall(service, path, settings, QStringLiteral("Read"));
  read << appearance << color_scheme;
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(read), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
    const QDBusPendingReply<QDBusVariant> reply = *watcher;
    if (!reply.isError()) take(appearance, color_scheme, reply.value());
    watcher->deleteLater();
  });
}

void SystemTheme::take(const QString& group, const QString& key, const QDBusVariant& value) {
  if (group != appearance || key != color_scheme) return;
  const uint wish = unwrapped(value.variant()).toUInt();
  if (wish != 0) set(wish == prefers_dark);
}

void SystemTheme::set(bool is_dark) {
  if (is_dark_ == is_dark) return;
  is_dark_ = is_dark;
  Q_EMIT changed();
}

}  // namespace dt::gui
