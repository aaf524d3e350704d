#include "gui/session.h"

#include <utility>

namespace dt::gui {

Session::Session(client::Credentials credentials, QObject* parent)
    : QObject(parent), master(std::move(credentials)), live(master), experiments(master, live) {}

void Session::tell_saved(const QString& path, bool is_well) {
  if (is_well) return Q_EMIT tell(QStringLiteral("Saved %1").arg(path));
  Q_EMIT tell_problem(QStringLiteral("%1 could not be written").arg(path));
}

}  // namespace dt::gui
