#include "core/sched/fifo.h"

#include <algorithm>

#include "base/cat.h"
#include "core/sched/nodes.h"
#include "core/sched/queue.h"

namespace dt::core {
namespace {

class Fifo {
 public:
  Fifo(const PoolState& pool, bool zero_slot, bool backfill, Scheduled& answer)
      : pool_(pool),
        backfill_(backfill),
        nodes_(pool.agents, pool.config, pool.requests),
        unfit_(pool, nodes_.totals(), answer),
        answer_(answer) {
    for (const std::size_t i : serving_order(pool)) {
      const SlotRequest& request = at(i);
      if ((request.slots == 0) != zero_slot) continue;
      if (is_running(request)) ends_.push_back({end_of(request, request.since), i});
      if (is_pending(request)) queue_.push_back(i);
    }
  }

  void run() {
    auto next = queue_.begin();
    while (next != queue_.end() && start(*next)) ++next;
    if (next == queue_.end()) return;
    const std::size_t first = *next;
    const std::size_t reason = unfit_.of(at(first), nodes_.shape_of(at(first)));
    answer_.waiting.push_back({first, reason});
    const std::size_t behind = add_reason(
        answer_, cat("waits behind ", at(first).id, ", which ", answer_.reasons[reason]));
    if (backfill_) reserve_for(first);
    for (++next; next != queue_.end(); ++next) {
      if (!backfill_ || !passes(*next, first)) answer_.waiting.push_back({*next, behind});
    }
  }

 private:
  struct End {
    Time at;
    std::size_t request;
  };

  const SlotRequest& at(std::size_t request) const { return pool_.requests[request]; }

  Time end_of(const SlotRequest& request, Time since) const {
    return request.expected ? std::max(since + *request.expected, pool_.now) : never;
  }

  bool start(std::size_t request) {
    std::vector<Placement> placements = nodes_.place(at(request));
    if (placements.empty()) return false;
    if (backfill_) {
      ends_.push_back({end_of(at(request), pool_.now), request});
      placed_[request] = placements;
    }
    answer_.start.push_back({request, std::move(placements), false});
    return true;
  }

  const std::vector<Placement>& places_of(std::size_t request) const {
    const auto started = placed_.find(request);
    return started == placed_.end() ? at(request).placed : started->second;
  }

  // The pool as it will be when the first could start: what ends by then has gone.
  void reserve_for(std::size_t first) {
    then_ = nodes_;
    std::stable_sort(ends_.begin(), ends_.end(),
                     [](const End& a, const End& b) { return a.at < b.at; });
    for (const End& end : ends_) {
      if (end.at == never) break;
      then_->give_back(at(end.request), places_of(end.request));
      if (then_->find(at(first)).empty()) continue;
      reserved_from_ = end.at;
      return;
    }
    then_.reset();  // no end in sight: nothing delays it that is not there already
  }

  bool passes(std::size_t request, std::size_t first) {
    const int shape = nodes_.shape_of(at(request));
    const bool plain = at(request).blocked.empty();
    if (plain && no_room_.contains(shape)) return false;
    const std::vector<Placement> placements = nodes_.find(at(request));
    if (placements.empty()) {
      if (plain) no_room_.insert(shape);
      return false;
    }
    if (then_ && end_of(at(request), pool_.now) > reserved_from_) {
      then_->take(at(request), placements);
      if (then_->find(at(first)).empty()) {
        then_->give_back(at(request), placements);
        return false;
      }
    }
    nodes_.take(at(request), placements);
    answer_.start.push_back({request, placements, true});
    return true;
  }

  const PoolState& pool_;
  const bool backfill_;
  Nodes nodes_;
  UnfitReasons unfit_;
  Scheduled& answer_;
  std::vector<std::size_t> queue_;
  std::vector<End> ends_;
  std::map<std::size_t, std::vector<Placement>> placed_;  // in this pass
  std::optional<Nodes> then_;
  Time reserved_from_ = never;
  std::set<int> no_room_;  // shapes
};

}  // namespace

Scheduled schedule_by_fifo(const PoolState& pool, bool backfill) {
  Scheduled answer;
  for (const bool zero_slot : {false, true}) Fifo(pool, zero_slot, backfill, answer).run();
  return answer;
}

}  // namespace dt::core
