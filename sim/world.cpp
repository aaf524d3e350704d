#include "sim/world.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/sched/schedule.h"
#include "formats/json.h"

namespace dt::sim {
namespace {

constexpr Duration look_period{5'000};
constexpr Duration sweep_period{2'000};
constexpr std::int64_t events_most = 50'000'000;
// After the storm: uploads that nobody brings are waited for 30 minutes, then everything runs.
constexpr Duration calm_most{3 * 3600 * 1000};

}  // namespace

World::World(const Options& given, std::ostream* trace)
    : options(given),
      dice(given.seed),
      network(queue, dice, given.scale.agents + given.twins),
      checkers(*this),
      master(*this),
      people(*this),
      chaos(*this),
      trace_(trace),
      start_(queue.now()) {
  for (const NodeShape& shape : options.nodes) {
    nodes.push_back(std::make_unique<Node>(*this, static_cast<int>(nodes.size()), shape));
  }
  for (int i = 0; i < options.twins; ++i) {
    nodes.push_back(std::make_unique<Node>(*this, static_cast<int>(nodes.size()), NodeShape{}));
    nodes.back()->scrap();
  }
  network.on_break_agent = [this](const LinkPtr& link) {
    Node& node = *nodes[static_cast<std::size_t>(link->node)];
    if (link->agent_life == node.agent_life()) node.link_broke(link);
  };
  network.on_break_master = [this](const LinkPtr& link) { master.link_broke(link); };
}

World::~World() = default;

std::string World::run() {
  begin();
  while (!over_ && failure_.empty()) {
    queue.run_next();
    if (queue.events() > events_most) fail("P6: the world does not come to rest");
  }
  if (failure_.empty()) checkers.at_end();
  if (failure_.empty()) return "";
  return cat("SEED ", options.seed, " FAILED at t=", seconds(queue.now()), "s after ",
             queue.events(), " events: ", failure_);
}

void World::begin() {
  trace("seed ", options.seed, ": ", options.scale.agents, " agents, ", options.scale.jobs,
        " jobs, lease ", lease().count(), " ms, a fault every ", options.mean_gap.count(), " ms");
  for (const auto& [name, pool] : options.master.pools) {
    trace("pool ", name, ": ", core::to_text(pool.scheduler), ", ", core::to_text(pool.fit),
          pool.preemption ? ", preempts" : "");
  }
  master.start();
  for (const auto& node : nodes) node->start_agent();
  people.begin();
  chaos.begin();
  queue.after(options.scale.storm, [this] { heal(); });
  queue.after(sweep_period, [this] { sweep(); });
}

void World::heal() {
  trace("the storm is over");
  stormy_ = false;
  network.heal();
  master.heal();
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    Node& node = *nodes[static_cast<std::size_t>(i)];
    i < options.scale.agents ? node.heal() : node.scrap();
  }
  look_for_end();
}

void World::sweep() {
  checkers.sweep();
  queue.after(sweep_period, [this] { sweep(); });
}

void World::look_for_end() {
  people.calm_down();
  over_ = is_over();
  if (over_) return;
  if (queue.now() > start_ + options.scale.storm + calm_most)
    return fail(cat("P6: ", unfinished()));
  queue.after(look_period, [this] { look_for_end(); });
}

bool World::is_over() const {
  if (!people.has_answers() || !people.has_submitted_all()) return false;
  for (const auto& [id, row] : database.rows().experiments) {
    if (!core::is_terminal(row.state)) return false;
  }
  for (const auto& [id, row] : database.rows().allocations) {
    if (row.state != core::AllocationState::ended) return false;
  }
  if (!database.rows().inbox.empty()) return false;
  for (const auto& node : nodes) {
    if (!node->is_settled()) return false;
  }
  return true;
}

std::int64_t World::trials_of(ExperimentId experiment) const {
  const auto& trials = database.rows().trials;
  return std::count_if(trials.begin(), trials.end(),
                       [&](const auto& entry) { return entry.second.experiment == experiment; });
}

std::string World::unfinished() const {
  for (const auto& [id, row] : database.rows().allocations) {
    if (row.state == core::AllocationState::ended) continue;
    return cat("allocation ", id, " of trial ", row.trial, " is still ", core::to_text(row.state),
               " with order ", core::to_text(row.order), "; its experiment has ",
               trials_of(row.experiment), " trials of ",
               to_json(database.rows().experiments.at(row.experiment).config["searcher"]));
  }
  for (const auto& [id, row] : database.rows().trials) {
    if (core::is_terminal(row.state)) continue;
    const std::string why = master.is_up() ? master.brain().why_waiting(id) : "no master";
    return cat("trial ", id, " is still ", core::to_text(row.state), ": ", why);
  }
  for (const auto& node : nodes) {
    if (!node->is_settled()) return cat("node ", node->index(), " still holds what it owes");
  }
  return "a request is still unanswered, or an experiment has not ended";
}

void World::master_dies() {
  master.crash();
  const Duration away(dice.chance(70) ? dice.between(100, 15'000) : dice.between(15'000, 200'000));
  queue.after(away, [this] { master.start(); });
}

void World::to_agent(const LinkPtr& link, core::relay::Event event) {
  Node& node = *nodes[static_cast<std::size_t>(link->node)];
  if (link->agent_life == node.agent_life()) node.hear(std::move(event));
}

void World::fail(const std::string& what) {
  if (!failure_.empty()) return;
  failure_ = what;
  trace("VIOLATION: ", what);
}

std::string World::seconds(Time time) const {
  const std::int64_t ms = (time - start_).count();
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ms / 1000),
                static_cast<long long>(ms % 1000));
  return text;
}

void World::tell(const std::string& line) {
  *trace_ << seconds(queue.now()) << ' ' << line << '\n';
}

}  // namespace dt::sim
