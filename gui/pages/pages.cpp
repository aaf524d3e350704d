#include "gui/pages/pages.h"

#include <QWidget>

#include "base/overload.h"
#include "gui/pages/cluster_page.h"
#include "gui/pages/compare_page.h"
#include "gui/pages/experiment_page.h"
#include "gui/pages/experiments_page.h"
#include "gui/pages/launch_page.h"
#include "gui/pages/logs_page.h"
#include "gui/pages/queue_page.h"
#include "gui/pages/trial_page.h"

namespace dt::gui {
namespace {

QWidget* place_page(Session& session, Place place, QWidget* parent) {
  switch (place) {
    case Place::experiments: return new ExperimentsPage(session, parent);
    case Place::launch: return new LaunchPage(session, 0, parent);
    case Place::compare: return new ComparePlace(session, parent);
    case Place::queue: return new QueuePage(session, parent);
    case Place::cluster: return new ClusterPage(session, parent);
    case Place::logs: return new LogsPlace(session, parent);
    default: return nullptr;
  }
}

QWidget* thing_page(Session& session, const Link& link, QWidget* parent) {
  switch (link.kind) {
    case Link::Kind::experiment: return new ExperimentPage(session, link.id, parent);
    case Link::Kind::trial: return new TrialPage(session, link.id, parent);
    default: return nullptr;
  }
}

}  // namespace

std::vector<Place> places() {
  return {Place::experiments, Place::compare, Place::launch,
          Place::queue,       Place::cluster, Place::logs};
}

QWidget* make_page(Session& session, const PageId& id, QWidget* parent) {
  return std::visit(
      Overload{[&](Place place) { return place_page(session, place, parent); },
               [&](const Link& link) { return thing_page(session, link, parent); },
               [&](const Comparison& comparison) -> QWidget* {
                 return new ComparePage(session, comparison.links, parent);
               },
               [&](const Fork& fork) -> QWidget* {
                 return new LaunchPage(session, fork.experiment, parent);
               },
               [&](const LogOf& log) -> QWidget* { return new LogPage(session, log, parent); }},
      id);
}

}  // namespace dt::gui
