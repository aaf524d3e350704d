#include "gui/data/page_id.h"

#include <QStringList>
#include <array>
#include <utility>

#include "base/overload.h"

namespace dt::gui {
namespace {

struct PlaceName {
  Place place;
  const char* word;
  const char* title;
};
constexpr std::array<PlaceName, 6> places{{{Place::experiments, "experiments", "Experiments"},
                                           {Place::compare, "compare", "Compare"},
                                           {Place::launch, "launch", "Launch"},
                                           {Place::queue, "queue", "Queue"},
                                           {Place::cluster, "cluster", "Cluster"},
                                           {Place::logs, "logs", "Logs"}}};

struct KindName {
  Link::Kind kind;
  const char* word;
};
constexpr std::array<KindName, 4> kinds{{{Link::Kind::experiment, "experiment"},
                                         {Link::Kind::trial, "trial"},
                                         {Link::Kind::checkpoint, "checkpoint"},
                                         {Link::Kind::agent, "agent"}}};

QString text_of(const Link& link) {
  for (const KindName& name : kinds) {
    if (name.kind != link.kind) continue;
    const QString id = link.name.isEmpty() ? QString::number(link.id) : link.name;
    return QLatin1String(name.word) + QLatin1Char(' ') + id;
  }
  return {};
}

std::optional<Link> link_from(const QString& text) {
  for (const KindName& name : kinds) {
    const QString start = QLatin1String(name.word) + QLatin1Char(' ');
    if (!text.startsWith(start)) continue;
    const QString id = text.mid(start.size());
    if (name.kind == Link::Kind::checkpoint || name.kind == Link::Kind::agent) {
      return Link{name.kind, 0, id};
    }
    bool is_number = false;
    const qlonglong number = id.toLongLong(&is_number);
    if (is_number && number > 0) return Link{name.kind, number, {}};
  }
  return std::nullopt;
}

std::optional<PageId> comparison_from(const QString& text) {
  Comparison comparison;
  for (const QString& piece : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    const std::optional<Link> link = link_from(piece);
    if (link) comparison.links.push_back(*link);
  }
  if (comparison.links.empty()) return std::nullopt;
  return comparison;
}

// The number after "fork " or "logs ".
std::optional<std::int64_t> number_after(const QString& text, const char* word) {
  const QString start = QLatin1String(word) + QLatin1Char(' ');
  bool is_number = false;
  const qlonglong number =
      text.startsWith(start) ? text.mid(start.size()).toLongLong(&is_number) : 0;
  if (!is_number || number <= 0) return std::nullopt;
  return number;
}

}  // namespace

QString title_of(Place place) {
  return QString::fromUtf8(places[static_cast<std::size_t>(place)].title);
}

QString title_of(const PageId& id) {
  return std::visit(
      Overload{[](Place place) { return title_of(place); },
               [](const Link& link) { return title_of(link); },
               [](const Comparison& comparison) {
                 return QStringLiteral("Compare %1").arg(comparison.links.size());
               },
               [](const Fork& fork) { return QStringLiteral("Fork of %1").arg(fork.experiment); },
               [](const LogOf& log) { return QStringLiteral("Log of trial %1").arg(log.trial); }},
      id);
}

QString to_text(const PageId& id) {
  return std::visit(
      Overload{[](Place place) {
                 return QString::fromUtf8(places[static_cast<std::size_t>(place)].word);
               },
               [](const Link& link) { return text_of(link); },
               [](const Comparison& comparison) {
                 QStringList pieces;
                 for (const Link& link : comparison.links) pieces.push_back(text_of(link));
                 return QStringLiteral("compare ") + pieces.join(QLatin1Char(','));
               },
               [](const Fork& fork) { return QStringLiteral("fork %1").arg(fork.experiment); },
               [](const LogOf& log) { return QStringLiteral("logs %1").arg(log.trial); }},
      id);
}

std::optional<PageId> page_from_text(const QString& text) {
  for (const PlaceName& name : places) {
    if (text == QLatin1String(name.word)) return name.place;
  }
  const QString compare = QStringLiteral("compare ");
  if (text.startsWith(compare)) return comparison_from(text.mid(compare.size()));
  if (const auto experiment = number_after(text, "fork")) return Fork{*experiment};
  if (const auto trial = number_after(text, "logs")) return LogOf{*trial, 0};
  if (const auto link = link_from(text)) return *link;
  return std::nullopt;
}

}  // namespace dt::gui
