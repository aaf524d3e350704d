#include "gui/data/links.h"

namespace dt::gui {

QString dtctl_command(const Link& link) {
  switch (link.kind) {
    case Link::Kind::none: return {};
    case Link::Kind::experiment: return QStringLiteral("dtctl experiment describe %1").arg(link.id);
    case Link::Kind::trial: return QStringLiteral("dtctl trial describe %1").arg(link.id);
    case Link::Kind::checkpoint: return {};  // dtctl shows them with their trial
    case Link::Kind::agent: return QStringLiteral("dtctl agent list");
  }
  return {};
}

QString title_of(const Link& link) {
  switch (link.kind) {
    case Link::Kind::none: return {};
    case Link::Kind::experiment: return QStringLiteral("Experiment %1").arg(link.id);
    case Link::Kind::trial: return QStringLiteral("Trial %1").arg(link.id);
    case Link::Kind::checkpoint: return QStringLiteral("Checkpoint %1").arg(link.name.left(8));
    case Link::Kind::agent: return QStringLiteral("Agent %1").arg(link.name);
  }
  return {};
}

}  // namespace dt::gui
