// The nodes of a pool while a scheduler thinks: what is free, where a request would go best, and
// what is left once it is there. Nodes in equal states form a class that is looked at once, and how
// well a request fits a state is remembered, so that a placement costs the number of distinct
// states and not of nodes. Used by one thread; a copy is independent.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/sched/fragmentation.h"
#include "core/sched/request.h"
#include "core/sched/state.h"

namespace dt::core {

class Nodes {
 public:
  // The typical requests are what fragmentation-aware policies keep room for.
  Nodes(const std::vector<AgentCapacity>& agents, const PoolConfig& config,
        const std::vector<SlotRequest>& typical = {});

  // Where it would go: the whole gang, or empty. The three tries of reference §5.1: one node that
  // holds it all; wholly idle nodes of one size; any idle nodes when heterogeneous fits are
  // allowed.
  std::vector<Placement> find(const SlotRequest& request);
  std::vector<Placement> find_dedicated(const SlotRequest& request);  // the last two tries

  std::vector<Placement> place(const SlotRequest& request);  // find() and take()
  void take(const SlotRequest& request, const std::vector<Placement>& placements);
  // Undoes take(). In the reverse order of taking, all is as it was.
  void give_back(const SlotRequest& request, const std::vector<Placement>& placements);

  // Requests of one shape fit alike (excluded nodes aside).
  int shape_of(const SlotRequest& request);  // from 0

  struct Totals {
    int nodes = 0;
    int slots = 0;
    int empty = 0;  // wholly free
    int zero_slot_places = 0;
    int largest = 0;  // slots of the largest node
  };
  const Totals& totals() const { return totals_; }

 private:
  int index_of(Shape shape);

  struct Node {
    AgentId id;
    std::uint64_t hash = 0;
    NodeState state;      // with shared in AgentCapacity's order
    bool closed = false;  // draining or disabled: what is given back is not free
    int class_id = -1;
  };
  struct Class {
    NodeState state;                                  // with shared from most to least
    std::set<std::pair<std::uint64_t, int>> members;  // (hash or 0, node)
    int live = -1;                                    // its place in live_
    double fragmentation = 0;
  };
  struct Best {
    double score = 0;
    std::vector<int> classes;  // all with this score
  };

  void enter_class(int node);
  void leave_class(int node);
  const Fit& fit_of(int shape, int class_id);
  Best best_classes(const SlotRequest& request, int shape);
  bool is_blocked(const SlotRequest& request, int node) const;
  // The members nearest to the request: at most `count`, none blocked, nearest first.
  std::vector<int> nearest(const SlotRequest& request, const std::vector<int>& classes,
                           std::size_t count) const;
  Placement placement_on(const SlotRequest& request, int node, const Fit& fit) const;
  std::vector<Placement> find_shared(const SlotRequest& request);
  std::size_t open_members(const SlotRequest& request, int class_id) const;  // not blocked
  std::vector<Placement> find_random(const SlotRequest& request, int shape);
  void change(int node, const Shape& shape, const Placement& placement, int sign);

  PoolConfig config_;
  Workload workload_;
  bool ties_by_hash_ = true;
  std::vector<Node> nodes_;  // by id
  std::map<AgentId, int> index_;
  std::map<std::string, int> models_;
  std::vector<Class> classes_;
  std::map<NodeState, int> class_of_;
  std::vector<int> live_;  // classes with members
  std::vector<Shape> shapes_;
  std::map<Shape, int> shape_index_;
  std::vector<int> plain_shapes_;  // by slots, of requests that ask for slots alone; -1: not yet
  std::vector<std::vector<Fit>> fits_;  // by shape and class
  Totals totals_;
};

}  // namespace dt::core
