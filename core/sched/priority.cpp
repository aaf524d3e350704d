#include "core/sched/priority.h"

#include <algorithm>
#include <tuple>

#include "base/cat.h"
#include "core/sched/nodes.h"
#include "core/sched/queue.h"

namespace dt::core {
namespace {

using Indices = std::vector<std::size_t>;

struct Rules {
  bool preemption = false;
  bool spare_needless = false;  // preempt no more than the request needs
};

struct Level {  // the requests of one priority, each list in queue order
  Indices pending;
  Indices running;
};

std::map<int, Level> levels_of(const PoolState& pool, const std::vector<RequestLevel>& levels,
                               const Indices& order, bool zero_slot) {
  std::map<int, Level> sorted;
  for (const std::size_t i : order) {
    const SlotRequest& request = pool.requests[i];
    if ((request.slots == 0) != zero_slot) continue;
    if (is_running(request)) sorted[levels[i].level].running.push_back(i);
    if (is_pending(request)) sorted[levels[i].level].pending.push_back(i);
  }
  return sorted;
}

// One pass over the slot requests or the zero-slot requests, on a scratch copy of the nodes.
class Pass {
 public:
  Pass(const PoolState& pool, const std::vector<RequestLevel>& level_of, Rules rules,
       std::map<int, Level> levels, Scheduled& answer)
      : pool_(pool),
        level_of_(level_of),
        rules_(rules),
        levels_(std::move(levels)),
        scratch_(pool.agents, pool.config, pool.requests),
        before_(scratch_.totals()),
        unfit_reasons_(pool, before_, answer),
        answer_(answer),
        is_leaving_(pool.requests.size()) {}

  void run() {
    for (auto& [number, level] : levels_) run_level(number, level);
  }

 private:
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);

  struct Placed {
    std::size_t request;
    std::vector<Placement> placements;
  };

  const SlotRequest& at(std::size_t request) const { return pool_.requests[request]; }

  void run_level(int number, const Level& level) {
    std::vector<Placed> placed;
    Indices unplaced;
    const std::size_t first_waiting = answer_.waiting.size();
    for (const std::size_t request : level.pending) {
      std::vector<Placement> placements = reserve(request);
      if (placements.empty()) {
        unplaced.push_back(request);
        answer_.waiting.push_back(
            {request, unfit_reasons_.of(at(request), scratch_.shape_of(at(request)))});
      } else {
        placed.push_back({request, std::move(placements)});
      }
    }
    for (Placed& one : placed) start_or_wait(one);
    if (!unplaced.empty() && blocker_ == nobody) {
      blocker_ = unplaced.front();
      behind_ = add_reason(
          answer_, cat("waits behind ", at(blocker_).id, " of priority ", number, ", which ",
                       answer_.reasons[answer_.waiting[first_waiting].reason]));
    }
    if (!rules_.preemption) return;
    for (std::size_t i = 0; i < unplaced.size(); ++i) {
      make_room(unplaced[i], answer_.waiting[first_waiting + i].reason);
    }
  }

  // All requests of one shape fit or none does, until something is freed; queues of thousands have
  // few shapes.
  std::vector<Placement> reserve(std::size_t request) {
    const bool plain = at(request).blocked.empty();
    const int shape = scratch_.shape_of(at(request));
    if (plain && unfit_.contains(shape)) return {};
    std::vector<Placement> placements = scratch_.place(at(request));
    if (plain && placements.empty()) unfit_.insert(shape);
    return placements;
  }

  void start_or_wait(Placed& placed) {
    const std::size_t request = placed.request;
    if (first_leaving_ != nobody) {
      if (awaited_ == nobody) {
        awaited_ = add_reason(answer_, cat("waits until ", at(first_leaving_).id,
                                           " has been preempted for a request of higher priority"));
      }
      answer_.waiting.push_back({request, awaited_});
      return;
    }
    const bool backfilling = blocker_ != nobody;
    if (backfilling && !(rules_.preemption && at(request).preemptible)) {
      answer_.waiting.push_back({request, behind_});
      return;
    }
    answer_.start.push_back({request, std::move(placed.placements), backfilling});
  }

  // Frees running requests, last in order first, until this one fits; if it never does, none.
  void make_room(std::size_t request, std::size_t& reason) {
    if (!reserve(request).empty()) return;
    const bool plain = at(request).blocked.empty();
    const int shape = scratch_.shape_of(at(request));
    if (plain && hopeless_.contains(shape)) return;  // whoever comes later has fewer victims
    Indices freed;
    if (free_victims(request, freed)) {
      unfit_.clear();
      if (rules_.spare_needless) spare(request, freed);
      scratch_.place(at(request));
      return release_all(freed, reason);
    }
    for (auto victim = freed.rbegin(); victim != freed.rend(); ++victim) {
      scratch_.take(at(*victim), at(*victim).placed);
    }
    if (plain) hopeless_.insert(shape);
  }

  // First whatever is on its way out anyway, then from the lowest priority up to the request's own,
  // where only what is queued strictly behind it may go.
  bool free_victims(std::size_t request, Indices& freed) {
    const auto free = [&](std::size_t victim) {
      scratch_.give_back(at(victim), at(victim).placed);
      freed.push_back(victim);
      return !scratch_.find(at(request)).empty();
    };
    for (const std::size_t running : on_their_way_out()) {
      if (!is_leaving_[running] && free(running)) return true;
    }
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      if (level->first < level_of_[request].level) break;
      Indices& running = level->second.running;
      while (!running.empty() && is_leaving_[running.back()]) running.pop_back();
      for (auto it = running.rbegin(); it != running.rend(); ++it) {
        if (may_be_preempted_for(request, *it) && free(*it)) return true;
      }
    }
    return false;
  }

  const Indices& on_their_way_out() {
    if (!looked_for_released_) {
      for (const auto& [number, level] : levels_) {
        for (const std::size_t i : level.running) {
          if (at(i).released) released_.push_back(i);
        }
      }
    }
    looked_for_released_ = true;
    return released_;
  }

  // Keeps what need not go, the most important first.
  void spare(std::size_t request, Indices& freed) {
    for (std::size_t i = freed.size(); i-- > 0;) {
      const SlotRequest& victim = at(freed[i]);
      if (victim.released) continue;
      scratch_.take(victim, victim.placed);
      if (!scratch_.find(at(request)).empty()) {
        freed.erase(freed.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        scratch_.give_back(victim, victim.placed);
      }
    }
  }

  void release_all(const Indices& freed, std::size_t& reason) {
    for (const std::size_t victim : freed) {
      is_leaving_[victim] = true;
      if (first_leaving_ == nobody) first_leaving_ = victim;
      if (!at(victim).released) answer_.release.push_back(victim);
    }
    reason = add_reason(answer_, cat("waits until ", at(freed.back()).id, " has been preempted"));
  }

  bool may_be_preempted_for(std::size_t request, std::size_t running) const {
    const SlotRequest& victim = at(running);
    if (!victim.preemptible || victim.released || is_leaving_[running]) return false;
    if (level_of_[running].protected_run) return false;
    return level_of_[running].level > level_of_[request].level ||
           victim.queue_position > at(request).queue_position;
  }

  const PoolState& pool_;
  const std::vector<RequestLevel>& level_of_;
  const Rules rules_;
  std::map<int, Level> levels_;
  Nodes scratch_;
  const Nodes::Totals before_;  // anything was placed
  UnfitReasons unfit_reasons_;
  Scheduled& answer_;
  std::set<int> unfit_;           // shapes that do not fit scratch_
  std::set<int> hopeless_;        // shapes that no preemption helps
  std::vector<bool> is_leaving_;  // running requests that are making room
  std::size_t first_leaving_ = nobody;
  Indices released_;  // running requests that had been asked to go before
  bool looked_for_released_ = false;
  std::size_t blocker_ = nobody;  // the first request that did not fit
  std::size_t behind_ = nobody;   // the reason of those behind it
  std::size_t awaited_ = nobody;  // the reason of those who would start but for leaving_
};

Scheduled schedule(const PoolState& pool, const std::vector<RequestLevel>& levels, Rules rules) {
  Scheduled answer;
  std::vector<int> numbers;
  for (const RequestLevel& level : levels) numbers.push_back(level.level);
  const Indices order = ranked(pool, numbers);
  for (const bool zero_slot : {false, true}) {
    auto sorted = levels_of(pool, levels, order, zero_slot);
    const bool idle = std::all_of(sorted.begin(), sorted.end(),
                                  [](const auto& level) { return level.second.pending.empty(); });
    if (!idle) Pass(pool, levels, rules, std::move(sorted), answer).run();
  }
  return answer;
}

}  // namespace

bool is_served_before(const SlotRequest& a, const SlotRequest& b) {
  return std::tie(a.priority, a.queue_position, a.job_submitted, a.requested, a.id) <
         std::tie(b.priority, b.queue_position, b.job_submitted, b.requested, b.id);
}

Scheduled schedule_by_priority(const PoolState& pool) {
  std::vector<RequestLevel> priorities;
  for (const SlotRequest& request : pool.requests) priorities.push_back({request.priority});
  return schedule(pool, priorities, {.preemption = pool.config.preemption});
}

Scheduled schedule_by_levels(const PoolState& pool, const std::vector<RequestLevel>& levels) {
  return schedule(pool, levels, {.preemption = true, .spare_needless = true});
}

}  // namespace dt::core
