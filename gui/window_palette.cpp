#include "gui/window_palette.h"

#include <QDateTime>
#include <QRegularExpression>

#include "gui/data/format.h"
#include "gui/pages/pages.h"
#include "gui/session.h"
#include "gui/widgets/rail.h"

namespace dt::gui {
namespace {

constexpr int places_first = 200;
constexpr int numbers_first = 400;

PaletteEntry link_entry(Session& session, const Link& link, const QString& detail) {
  const Icon picture = link.kind == Link::Kind::trial ? Icon::compare : Icon::experiments;
  return {.icon = picture,
          .title = title_of(link),
          .detail = detail,
          .key = {},
          .rank = numbers_first,
          .run = [&session, link] { Q_EMIT session.open_link(link); }};
}

}  // namespace

std::vector<PaletteEntry> place_entries(Session& session) {
  std::vector<PaletteEntry> entries;
  int number = 0;
  for (const Place place : places()) {
    entries.push_back({.icon = icon_of(place),
                       .title = QStringLiteral("Go to %1").arg(title_of(place)),
                       .detail = {},
                       .key = QStringLiteral("Ctrl+%1").arg(++number),
                       .rank = places_first,
                       .run = [&session, place] { Q_EMIT session.open_place(place); }});
  }
  return entries;
}

std::vector<PaletteEntry> experiment_entries(Session& session) {
  std::vector<PaletteEntry> entries;
  const qint64 now_ms = QDateTime::currentMSecsSinceEpoch();
  for (const ExperimentRow& row : session.experiments.rows()) {
    const Link link{Link::Kind::experiment, row.id, {}};
    entries.push_back({.icon = Icon::experiments,
                       .title = QStringLiteral("%1 %2").arg(row.id).arg(one_line(row.name, 80)),
                       .detail = QStringLiteral("experiment, %1, %2")
                                     .arg(state_word(row.state), age(row.created_ms, now_ms)),
                       .key = {},
                       .rank = 0,
                       .run = [&session, link] { Q_EMIT session.open_link(link); }});
  }
  return entries;
}

std::vector<PaletteEntry> number_entries(Session& session, const QString& typed) {
  static const QRegularExpression shape(QStringLiteral("^(trial|experiment)?\\s*(\\d{1,15})$"),
                                        QRegularExpression::CaseInsensitiveOption);
  const QRegularExpressionMatch match = shape.match(typed);
  if (!match.hasMatch()) return {};
  const qint64 id = match.captured(2).toLongLong();
  const QString word = match.captured(1).toLower();
  std::vector<PaletteEntry> entries;
  if (word != QLatin1String("trial")) {
    const ExperimentRow* known = session.experiments.find(id);
    const Link link{Link::Kind::experiment, id, {}};
    if (known) entries.push_back(link_entry(session, link, one_line(known->name, 60)));
  }
  if (word != QLatin1String("experiment")) {
    entries.push_back(link_entry(session, {Link::Kind::trial, id, {}}, {}));
  }
  return entries;
}

}  // namespace dt::gui
