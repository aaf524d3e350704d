#include "core/sched/priority.h"

#include <algorithm>
#include <tuple>

#include "base/cat.h"
#include "core/sched/fitting.h"

namespace dt::core {
namespace {

using Requests = std::vector<const SlotRequest*>;

struct Level {  // the requests of one priority, each list in queue order
  Requests pending;
  Requests running;
};

bool comes_before(const SlotRequest* a, const SlotRequest* b) {
  return std::tie(a->queue_position, a->job_submitted, a->requested, a->id) <
         std::tie(b->queue_position, b->job_submitted, b->requested, b->id);
}

std::map<int, Level> levels_of(const PoolState& pool, bool zero_slot) {
  std::map<int, Level> levels;
  for (const SlotRequest& request : pool.requests) {
    if ((request.slots == 0) != zero_slot) continue;
    Level& level = levels[request.priority];
    if (!request.placed.empty()) {
      level.running.push_back(&request);
    } else if (!request.released) {  // withdrawn before it was placed: nothing to schedule
      level.pending.push_back(&request);
    }
  }
  for (auto& [priority, level] : levels) {
    std::sort(level.pending.begin(), level.pending.end(), comes_before);
    std::sort(level.running.begin(), level.running.end(), comes_before);
  }
  return levels;
}

// Takes (sign 1) or gives back (sign -1) what the placements hold.
void move_slots(std::vector<AgentCapacity>& agents, const std::vector<Placement>& placements,
                int sign) {
  for (const Placement& placement : placements) {
    for (AgentCapacity& agent : agents) {
      if (agent.id != placement.agent) continue;
      agent.used += sign * placement.slots;
      agent.zero_slot += placement.slots == 0 ? sign : 0;
    }
  }
}

std::string plural(int count, const char* noun) {
  return cat(count, " ", noun, count == 1 ? "" : "s");
}

std::string unfit_reason(const SlotRequest& request, const PoolState& pool) {
  const std::string want = request.slots == 0 ? "a zero-slot place" : plural(request.slots, "slot");
  int total = 0;
  int empty = 0;
  int largest = 0;
  for (const AgentCapacity& agent : pool.agents) {
    const bool zero_slot = request.slots == 0;
    const int slots = zero_slot ? agent.max_zero_slot : agent.slots;
    total += slots;
    empty += zero_slot ? slots - agent.zero_slot : agent.empty();
    largest = std::max(largest, slots);
  }
  const char* where = request.single_node ? " on one node" : "";
  if (pool.agents.empty()) return cat("needs ", want, where, "; the pool has no node");
  if (!fits_when_idle(request, pool.agents, pool.config)) {
    return cat("needs ", want, where,
               "; never fits this pool: ", plural(static_cast<int>(pool.agents.size()), "node"),
               " with ", total, " in all, the largest with ", largest,
               request.blocked.empty() ? "" : cat(", ", request.blocked.size(), " excluded"));
  }
  return cat("needs ", want, where, "; ", empty, " of ", total, " are free");
}

// All that decides whether a request fits. When one of a shape does not, none of it does, until
// something is freed; queues of thousands have few shapes.
using Shape = std::tuple<int, bool, std::set<AgentId>>;

Shape shape_of(const SlotRequest& request) {
  return {request.slots, request.single_node, request.blocked};
}

// One pass over the slot requests or the zero-slot requests, on a scratch copy of the nodes.
class Pass {
 public:
  Pass(const PoolState& pool, bool zero_slot, Scheduled& answer)
      : pool_(pool), levels_(levels_of(pool, zero_slot)), scratch_(pool.agents), answer_(answer) {}

  void run() {
    for (const auto& [priority, level] : levels_) run_level(level);
  }

 private:
  struct Placed {
    const SlotRequest* request;
    std::vector<Placement> placements;
  };

  void run_level(const Level& level) {
    std::vector<Placed> placed;
    Requests unplaced;
    for (const SlotRequest* request : level.pending) {
      std::vector<Placement> placements = reserve(*request);
      if (placements.empty()) {
        unplaced.push_back(request);
      } else {
        placed.push_back({request, std::move(placements)});
      }
    }
    for (Placed& one : placed) start_or_wait(one);
    for (const SlotRequest* request : unplaced) {
      answer_.reason[request->id] = reason_for(*request);
    }
    if (!unplaced.empty() && blocker_ == nullptr) blocker_ = unplaced.front();
    if (!pool_.config.preemption) return;
    for (const SlotRequest* request : unplaced) make_room(*request);
  }

  std::vector<Placement> reserve(const SlotRequest& request) {
    if (unfit_.contains(shape_of(request))) return {};
    std::vector<Placement> placements = find_fit(request, scratch_, pool_.config);
    if (placements.empty()) unfit_.insert(shape_of(request));
    move_slots(scratch_, placements, 1);
    return placements;
  }

  const std::string& reason_for(const SlotRequest& request) {
    std::string& reason = reasons_[shape_of(request)];
    if (reason.empty()) reason = unfit_reason(request, pool_);
    return reason;
  }

  void start_or_wait(Placed& placed) {
    const SlotRequest& request = *placed.request;
    if (!leaving_.empty()) {
      answer_.reason[request.id] = cat("waits until ", *leaving_.begin(),
                                       " has been preempted for a request of higher priority");
      return;
    }
    const bool backfilling = blocker_ != nullptr;
    if (backfilling && !(pool_.config.preemption && request.preemptible)) {
      answer_.reason[request.id] =
          cat("waits behind ", blocker_->id, " of priority ", blocker_->priority, ", which ",
              answer_.reason[blocker_->id]);
      return;
    }
    if (backfilling) answer_.backfilled.insert(request.id);
    answer_.start[request.id] = std::move(placed.placements);
  }

  // Frees running requests, last in order first, until this one fits; if it never does, none.
  void make_room(const SlotRequest& request) {
    if (!reserve(request).empty()) return;
    const std::vector<AgentCapacity> before = scratch_;
    Requests freed;
    for (const SlotRequest* victim : victims_for(request)) {
      move_slots(scratch_, victim->placed, -1);
      unfit_.clear();
      freed.push_back(victim);
      if (!reserve(request).empty()) return release_all(request, freed);
    }
    scratch_ = before;
  }

  void release_all(const SlotRequest& request, const Requests& freed) {
    for (const SlotRequest* victim : freed) {
      leaving_.insert(victim->id);
      if (!victim->released) answer_.release.insert(victim->id);
    }
    answer_.reason[request.id] = cat("waits until ", freed.back()->id, " has been preempted");
  }

  // First whatever is on its way out anyway, then from the lowest priority up to the request's own,
  // where only what is queued strictly behind it may go.
  Requests victims_for(const SlotRequest& request) const {
    Requests victims;
    for (const auto& [priority, level] : levels_) {
      for (const SlotRequest* running : level.running) {
        if (running->released && !leaving_.contains(running->id)) victims.push_back(running);
      }
    }
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      if (level->first < request.priority) break;
      const Requests& running = level->second.running;
      for (auto it = running.rbegin(); it != running.rend(); ++it) {
        if (may_be_preempted_for(request, **it)) victims.push_back(*it);
      }
    }
    return victims;
  }

  bool may_be_preempted_for(const SlotRequest& request, const SlotRequest& running) const {
    if (!running.preemptible || running.released || leaving_.contains(running.id)) return false;
    return running.priority > request.priority || running.queue_position > request.queue_position;
  }

  const PoolState& pool_;
  const std::map<int, Level> levels_;
  std::vector<AgentCapacity> scratch_;
  std::set<Shape> unfit_;  // what does not fit scratch_
  std::map<Shape, std::string> reasons_;
  Scheduled& answer_;
  std::set<std::string> leaving_;         // running requests that are making room
  const SlotRequest* blocker_ = nullptr;  // the first request that did not fit; set = backfilling
};

}  // namespace

Scheduled schedule_by_priority(const PoolState& pool) {
  Scheduled answer;
  Pass(pool, false, answer).run();
  Pass(pool, true, answer).run();
  return answer;
}

}  // namespace dt::core
