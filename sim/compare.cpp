#include "sim/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/cat.h"

namespace dt::sim {
namespace {

void name_nan(std::optional<double>& number) {
  if (number && std::isnan(*number)) number = std::numeric_limits<double>::infinity();
}

void normalize(core::Recovered& state) {
  state.cluster.last_change = 0;
  state.inbox.clear();
  for (core::AgentRow& row : state.agents) row.connected = false;
  for (core::TrialRow& row : state.trials) {
    name_nan(row.latest_metric);
    name_nan(row.best_metric);
  }
}

std::string key(const core::ExperimentRow& row) { return to_text(row.id); }
std::string key(const core::TrialRow& row) { return to_text(row.id); }
std::string key(const core::AllocationRow& row) { return to_text(row.id); }
std::string key(const core::CheckpointRow& row) { return to_text(row.id); }
std::string key(const core::AgentRow& row) { return to_text(row.id); }
std::string key(const core::RequestRow& row) { return row.request_id; }
std::string key(const core::SearcherSnapshotRow& row) { return to_text(row.experiment); }
std::string key(const core::SearcherEventRow& row) { return cat(row.experiment, '/', row.number); }

template <class Row>
std::string difference(const char* what, const std::vector<Row>& a, const std::vector<Row>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size()) return cat(what, ' ', key(b[i]), " is not in the first");
    if (i >= b.size()) return cat(what, ' ', key(a[i]), " is not in the second");
    if (!(a[i] == b[i])) return cat(what, ' ', key(a[i]), " differs");
  }
  return "";
}

}  // namespace

std::string first_difference(core::Recovered a, core::Recovered b) {
  normalize(a);
  normalize(b);
  for (const std::string& found :
       {a.cluster == b.cluster ? "" : std::string("the cluster differs"),
        difference("experiment", a.experiments, b.experiments),
        difference("trial", a.trials, b.trials),
        difference("allocation", a.allocations, b.allocations),
        difference("checkpoint", a.checkpoints, b.checkpoints),
        difference("agent", a.agents, b.agents),
        difference("snapshot", a.searcher_snapshots, b.searcher_snapshots),
        difference("search event", a.searcher_events, b.searcher_events),
        difference("request", a.requests, b.requests)}) {
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace dt::sim
