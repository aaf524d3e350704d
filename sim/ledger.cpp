#include "sim/ledger.h"

#include <algorithm>

#include "sim/life_laws.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: rows are this file's words

constexpr std::int64_t turns_per_timer_look = 32;

template <class Row, class Key>
void upsert(std::map<Key, Row>& rows, const std::vector<Row>& changed, std::set<Key>& written) {
  for (const Row& row : changed) {
    rows.insert_or_assign(row.id, row);
    written.insert(row.id);
  }
}

// Back to what was committed.
template <class Row, class Key>
void revert(std::map<Key, Row>& rows, const std::map<Key, Row>& committed, std::set<Key>& written) {
  for (const Key& id : std::exchange(written, {})) {
    const auto found = committed.find(id);
    if (found == committed.end()) {
      rows.erase(id);
    } else {
      rows.insert_or_assign(id, found->second);
    }
  }
}

bool same(const TrialRow& a, const TrialRow& b) {  // NaN is not NaN
  return a.state == b.state && a.attempts == b.attempts && a.restarts == b.restarts &&
         a.stopped_by_searcher == b.stopped_by_searcher && a.exit_told == b.exit_told &&
         a.latest_checkpoint == b.latest_checkpoint && a.latest_step == b.latest_step &&
         a.best_step == b.best_step && a.progress == b.progress && a.ended_ms == b.ended_ms &&
         a.message == b.message;
}
template <class Row>
bool same(const Row& a, const Row& b) {
  return a == b;
}

template <class Row, class Key>
Breach difference(const char* what, const std::map<Key, Row>& told,
                  const std::map<Key, Row>& stored, const std::set<Key>& written) {
  for (const Key& id : written) {
    const Row* a = Turn::find(told, id);
    const Row* b = Turn::find(stored, id);
    if (a == nullptr || b == nullptr || !same(*a, *b)) {
      return cat("P1: ", what, ' ', id, " is not stored as it was decided");
    }
  }
  return "";
}

}  // namespace

Ledger::Ledger(World& world)
    : world_(world),
      agent_laws_(world),
      attempt_laws_(world, world.checkers.words(), agent_laws_),
      checkpoint_laws_(world),
      search_laws_(world),
      pool_laws_(world, agent_laws_, attempt_laws_) {}

void Ledger::master_starts(Time now) {
  agent_laws_.master_starts(now, rows_);
  attempt_laws_.master_starts(now, rows_);
  checkpoint_laws_.master_starts(rows_);
  search_laws_.master_starts(rows_);
  pool_laws_.master_starts(rows_);
  armed_ = never;
}

void Ledger::master_died() {
  const Rows& stored = world_.database.rows();
  revert(rows_.experiments, stored.experiments, experiments_);
  revert(rows_.trials, stored.trials, trials_);
  revert(rows_.allocations, stored.allocations, allocations_);
  revert(rows_.checkpoints, stored.checkpoints, checkpoints_);
  revert(rows_.agents, stored.agents, agents_);
  rows_.requests = stored.requests;
  rows_.searcher_events = stored.searcher_events;
  rows_.cluster = stored.cluster;
}

void Ledger::stepped(Time now, const MasterEvent* event, const Effects& effects) {
  const std::vector<InboxRow> inbox = inbox_of(event);
  const Turn turn{.now = now, .event = event, .effects = effects, .before = rows_, .inbox = inbox};
  check(turn);
  take(effects.writes);
  hold(turn, pool_laws_.check(turn, rows_));
  hold(turn, timer_breach(turn));
}

// A master that begins reads all that is there.
std::vector<InboxRow> Ledger::inbox_of(const MasterEvent* event) const {
  std::vector<InboxRow> rows;
  if (event == nullptr) {
    for (const auto& [id, row] : world_.database.rows().inbox) rows.push_back(row);
  } else if (const auto* arrived = std::get_if<InboxArrived>(event)) {
    rows = arrived->rows;
  }
  return rows;
}

void Ledger::check(const Turn& turn) {
  agent_laws_.hear(turn);
  hold(turn, experiment_breach(turn));
  hold(turn, trial_breach(turn));
  hold(turn, request_breach(turn));
  hold(turn, attempt_laws_.check(turn));
  hold(turn, checkpoint_laws_.check(turn));
  hold(turn, search_laws_.check(turn));
  hold(turn, agent_laws_.check(turn, attempt_laws_.open()));
}

void Ledger::hold(const Turn& turn, const Breach& breach) {
  if (breach.empty()) return;
  const std::size_t kind = turn.event == nullptr ? 0 : turn.event->index() + 1;
  world_.fail(cat(breach, " (step of event ", kind, ')'));
}

void Ledger::take(const Writes& writes) {
  upsert(rows_.experiments, writes.experiments, experiments_);
  upsert(rows_.trials, writes.trials, trials_);
  upsert(rows_.allocations, writes.allocations, allocations_);
  upsert(rows_.checkpoints, writes.checkpoints, checkpoints_);
  upsert(rows_.agents, writes.agents, agents_);
  for (const RequestRow& row : writes.requests)
    rows_.requests.insert_or_assign(row.request_id, row);
  for (const SearcherEventRow& row : writes.searcher_events) {
    rows_.searcher_events[row.experiment].push_back(row);
  }
  if (writes.cluster) rows_.cluster = *writes.cluster;
}

void Ledger::committed(const Writes&) {
  const Rows& stored = world_.database.rows();
  for (const Breach& breach :
       {difference("experiment", rows_.experiments, stored.experiments, experiments_),
        difference("trial", rows_.trials, stored.trials, trials_),
        difference("allocation", rows_.allocations, stored.allocations, allocations_),
        difference("checkpoint", rows_.checkpoints, stored.checkpoints, checkpoints_),
        difference("agent", rows_.agents, stored.agents, agents_)}) {
    if (!breach.empty()) world_.fail(breach);
  }
  if (!(rows_.cluster == stored.cluster)) world_.fail("P1: the counters are not stored");
  experiments_.clear();
  trials_.clear();
  allocations_.clear();
  checkpoints_.clear();
  agents_.clear();
}

// P6: a wake-up is armed no later than the next deadline.
Breach Ledger::timer_breach(const Turn& turn) {
  if (turn.heard<TimerFired>() != nullptr) armed_ = never;
  for (const MasterAction& action : turn.effects.actions) {
    if (const auto* wake = std::get_if<WakeMasterAt>(&action)) {
      armed_ = std::min(armed_, wake->time);
    }
  }
  if (++turns_ % turns_per_timer_look != 0) return "";
  const Time next = std::min(attempt_laws_.next_deadline(rows_), agent_laws_.next_deadline());
  if (armed_ <= next) return "";
  return cat("P6: no wake-up is armed for a deadline in ", (next - turn.now).count(), " ms");
}

}  // namespace dt::sim
