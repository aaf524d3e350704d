// The simulated world: one master with its database, nodes, wires, people, the storm and the
// checkers, all on one queue of virtual time and one seed. A run ends with a line that says
// what went wrong, or with nothing. One thread.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/cat.h"
#include "base/rng.h"
#include "sim/chaos.h"
#include "sim/checkers.h"
#include "sim/coverage.h"
#include "sim/database.h"
#include "sim/master_process.h"
#include "sim/network.h"
#include "sim/node.h"
#include "sim/options.h"
#include "sim/people.h"
#include "sim/queue.h"

namespace dt::sim {

class World {
 public:
  // `trace`: where each thing that happens is told; may be null.
  World(const Options& options, std::ostream* trace);
  ~World();

  // Runs to the end of all work; what went wrong, or empty.
  std::string run();

  bool is_stormy() const { return stormy_; }
  Time last_fault() const { return chaos.last_fault(); }
  Duration lease() const { return options.master.agent_lease; }
  void master_dies();  // and comes back
  void to_agent(const LinkPtr& link, core::relay::Event event);

  void fail(const std::string& what);  // the first counts
  std::string seconds(Time time) const;
  bool is_traced() const { return trace_ != nullptr; }
  template <class... Pieces>
  void trace(const Pieces&... pieces) {
    if (trace_ != nullptr) tell(cat(pieces...));
  }

  const Options options;
  Rng dice;
  Queue queue;
  Network network;
  Database database;
  Checkers checkers;
  MasterProcess master;
  std::vector<std::unique_ptr<Node>> nodes;  // the last are those that may become twins
  People people;
  Coverage coverage;
  Chaos chaos;

 private:
  void begin();
  void heal();
  void look_for_end();
  void sweep();
  bool is_over() const;
  std::int64_t trials_of(ExperimentId experiment) const;
  std::string unfinished() const;
  void tell(const std::string& line);

  std::ostream* trace_;
  Time start_;
  bool stormy_ = true;
  bool over_ = false;
  std::string failure_;
};

}  // namespace dt::sim
