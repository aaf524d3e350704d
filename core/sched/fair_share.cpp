#include "core/sched/fair_share.h"

#include <algorithm>
#include <tuple>

#include "base/cat.h"
#include "core/sched/nodes.h"
#include "core/sched/queue.h"

namespace dt::core {
namespace {

struct Group {  // the requests of one job that count
  std::string job;
  JobShare share;
  std::size_t registered = 0;  // its rank by submission
  std::vector<std::size_t> pending;
  std::vector<std::size_t> running;
  int demand = 0;         // slots it needs in all, or may hold
  int active = 0;         // slots it holds
  int presubscribed = 0;  // of these, such as cannot be preempted
  int smallest = 0;       // of its pending requests
  int offered = 0;
  bool disabled = false;
  bool is_full() const { return disabled || offered >= demand; }
};

class FairShare {
 public:
  explicit FairShare(const PoolState& pool)
      : pool_(pool), nodes_(pool.agents, pool.config, pool.requests) {}

  FairShareDecision decide() {
    order_ = serving_order(pool_);
    start_zero_slot();
    collect_groups();
    offer();
    for (Group& group : groups_) assign(group);
    return std::move(decision_);
  }

 private:
  const SlotRequest& at(std::size_t request) const { return pool_.requests[request]; }

  bool fits(std::size_t request) {
    if (!at(request).blocked.empty()) return !nodes_.find(at(request)).empty();
    const auto [known, is_new] = fits_.emplace(nodes_.shape_of(at(request)), false);
    if (is_new) known->second = !nodes_.find(at(request)).empty();
    return known->second;
  }

  void start_zero_slot() {
    for (const std::size_t request : order_) {
      if (at(request).slots > 0 || !is_pending(at(request))) continue;
      if (fits(request)) decision_.start.push_back(request);
    }
  }

  // Requests that could not start now whatever their share would only waste it.
  void collect_groups() {
    std::map<std::string, std::size_t> index;
    for (const std::size_t i : order_) {
      const SlotRequest& request = at(i);
      if (request.slots == 0 || request.slots > nodes_.totals().slots) continue;
      if (!is_running(request) && (!is_pending(request) || !fits(i))) continue;
      const auto [found, is_new] = index.emplace(request.job, groups_.size());
      if (is_new) {
        const auto share = pool_.jobs.find(request.job);
        groups_.push_back({.job = request.job,
                           .share = share == pool_.jobs.end() ? JobShare{} : share->second,
                           .registered = groups_.size()});
      }
      add(groups_[found->second], i);
    }
    for (Group& group : groups_) {
      if (group.share.max_slots) group.demand = std::min(group.demand, *group.share.max_slots);
    }
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) { return a.demand < b.demand; });
  }

  void add(Group& group, std::size_t i) {
    const SlotRequest& request = at(i);
    group.demand += request.slots;
    if (!is_running(request)) {
      const bool first = group.pending.empty();
      group.smallest = first ? request.slots : std::min(group.smallest, request.slots);
      return group.pending.push_back(i);
    }
    group.running.push_back(i);
    group.active += request.slots;
    if (!request.preemptible) group.presubscribed += request.slots;
  }

  // Recomputed from counts of equal weights, not by subtracting, so that it stays exact.
  double open_weight() const {
    double sum = 0;
    for (const auto& [weight, count] : open_) sum += weight * count;
    return sum;
  }
  void close(const Group& group) { --open_[group.share.weight]; }

  // Progressive filling: all offers grow by share, in rounds, until nothing is left or wanted.
  void offer() {
    int capacity = nodes_.totals().slots;
    std::vector<int> advance(groups_.size());  // offered already because it cannot be taken away
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      groups_[i].offered = advance[i] = groups_[i].presubscribed;
      capacity -= groups_[i].presubscribed;
    }
    capacity = std::max(capacity, 0);
    for (Group& group : groups_) {
      if (!group.is_full()) ++open_[group.share.weight];
      by_registration_.push_back(&group);
    }
    std::sort(by_registration_.begin(), by_registration_.end(),
              [](const Group* a, const Group* b) { return a->registered < b->registered; });
    for (bool progress = true; progress;) {
      progress = false;
      const int at_start = capacity;
      double weight = open_weight();
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        Group& group = groups_[i];
        if (group.is_full()) continue;
        progress = true;
        const double part = weight > 0 ? at_start * group.share.weight / weight : 0;
        const int wanted = std::min(std::max(1, static_cast<int>(part)),
                                    std::min(capacity, group.demand - group.offered));
        const int from_advance = std::min(wanted, advance[i]);
        advance[i] -= from_advance;
        group.offered += wanted - from_advance;
        capacity -= wanted - from_advance;
        if (!group.is_full()) continue;
        close(group);
        weight = open_weight();
      }
      if (capacity == 0) progress = disable_latest_starved(capacity);
    }
  }

  // Jobs that all got less than their smallest gang would never start: the one submitted last gives
  // its slots back. Offers only grow, so nobody who was passed over needs a second look.
  bool disable_latest_starved(int& capacity) {
    while (!by_registration_.empty() && capacity == 0) {
      Group& latest = *by_registration_.back();
      by_registration_.pop_back();
      if (latest.is_full() || latest.pending.empty() || latest.smallest <= latest.offered) continue;
      close(latest);
      capacity += latest.offered;
      latest.offered = 0;
      latest.disabled = true;
    }
    return capacity > 0;
  }

  void assign(const Group& group) {
    int active = group.active;
    for (const std::size_t i : group.running) {
      if (active <= group.offered) break;
      if (!at(i).preemptible) continue;
      if (!at(i).released) decision_.release.push_back(i);
      active -= at(i).slots;
    }
    if (group.active >= group.offered) return;
    int left = group.offered - group.active;
    for (const std::size_t i : group.pending) {
      if (at(i).slots > left) continue;
      decision_.start.push_back(i);
      left -= at(i).slots;
    }
  }

  const PoolState& pool_;
  Nodes nodes_;
  std::vector<std::size_t> order_;
  std::map<int, bool> fits_;  // by shape
  std::vector<Group> groups_;
  std::map<double, int> open_;  // groups that want more, by weight
  std::vector<Group*> by_registration_;
  FairShareDecision decision_;
};

}  // namespace

FairShareDecision decide_fair_share(const PoolState& pool) { return FairShare(pool).decide(); }

Scheduled schedule_by_fair_share(const PoolState& pool) {
  FairShareDecision decision = decide_fair_share(pool);
  Scheduled answer;
  answer.release = std::move(decision.release);
  Nodes nodes(pool.agents, pool.config, pool.requests);
  UnfitReasons unfit(pool, nodes.totals(), answer);
  std::set<std::size_t> started;
  for (const std::size_t request : decision.start) {
    std::vector<Placement> placements = nodes.place(pool.requests[request]);
    if (placements.empty()) continue;
    answer.start.push_back({request, std::move(placements), false});
    started.insert(request);
  }
  std::map<int, bool> still_fits;  // by shape
  std::size_t beyond_share = 0;
  bool has_reason = false;
  for (std::size_t i = 0; i < pool.requests.size(); ++i) {
    const SlotRequest& request = pool.requests[i];
    if (!is_pending(request) || started.contains(i)) continue;
    const int shape = nodes.shape_of(request);
    const bool plain = request.blocked.empty();
    const auto known = plain ? still_fits.find(shape) : still_fits.end();
    const bool fits = known != still_fits.end() ? known->second : !nodes.find(request).empty();
    if (plain) still_fits.emplace(shape, fits);
    if (!fits) {
      answer.waiting.push_back({i, unfit.of(request, shape)});
      continue;
    }
    if (!has_reason) beyond_share = add_reason(answer, "its job holds its fair share of the pool");
    has_reason = true;
    answer.waiting.push_back({i, beyond_share});
  }
  return answer;
}

}  // namespace dt::core
