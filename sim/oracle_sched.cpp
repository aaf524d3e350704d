#include <algorithm>
#include <cmath>
#include <set>

#include "core/sched/fitting.h"
#include "core/sched/priority.h"
#include "sim/oracle.h"

namespace dt::sim {
namespace {

using core::AgentCapacity;
using core::Placement;
using core::SlotRequest;

using Verdict = std::optional<std::string>;

int int_of(const Value& map, const std::string& key, int otherwise) {
  const Value* found = map.find(key);
  return found && found->is_int() ? static_cast<int>(found->as_int()) : otherwise;
}

bool bool_of(const Value& map, const std::string& key, bool otherwise) {
  const Value* found = map.find(key);
  return found && found->is_bool() ? found->as_bool() : otherwise;
}

std::string text_of(const Value& value) {  // ids may look like numbers
  return value.is_int() ? std::to_string(value.as_int()) : value.as_string();
}

std::set<std::string> texts_of(const Value& list) {
  std::set<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Value& item : list.as_array()) texts.insert(text_of(item));
  return texts;
}

std::string join(const std::set<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += joined.empty() ? text : " " + text;
  return "[" + joined + "]";
}

Verdict compare(const std::string& what, const std::string& expected, const std::string& got) {
  if (expected == got) return std::nullopt;
  return cat(what, ": expected ", expected, ", got ", got);
}

core::FitPolicy policy_of(const Value& name) {
  return name.is_string() && name.as_string() == "worst" ? core::FitPolicy::worst
                                                         : core::FitPolicy::best;
}

AgentCapacity agent_of(const std::string& id, const Value& from) {
  return {.id = {id},
          .slots = int_of(from, "slots", 0),
          .used = int_of(from, "used", 0),
          .max_zero_slot = int_of(from, "max_zero", 100),
          .zero_slot = int_of(from, "zero", 0)};
}

// --- fits ---

Verdict run_find_fits(const Value& test) {
  SlotRequest request;
  request.id = text_of(test["task"]);
  request.slots = int_of(test, "slots", 0);
  request.single_node = bool_of(test, "single_agent", false);
  for (const std::string& id : texts_of(test["blocked"])) request.blocked.insert({id});
  std::vector<AgentCapacity> agents;
  for (const Value& agent : test["agents"].as_array()) {
    agents.push_back(agent_of(text_of(agent["id"]), agent));
  }
  core::PoolConfig config;
  config.fit = policy_of(test["fit"]);
  config.heterogeneous = bool_of(test, "hetero", false);
  const auto placements = core::find_fit(request, agents, config);
  const std::string got = placements.empty() ? "none" : placements.front().agent.value;
  return compare("first node", test["expect"].is_null() ? "none" : text_of(test["expect"]), got);
}

Verdict run_fit_score(const Value& test) {
  const double score = core::fit_score(policy_of(test["policy"]), int_of(test, "task_slots", 0),
                                       agent_of("agent", test));
  const double expected = test["score"].as_double();
  if (std::abs(score - expected) < 1e-12) return std::nullopt;
  return cat("score: expected ", expected, ", got ", score);
}

Verdict run_hash_distance(const Value& test) {
  const std::uint64_t got = core::hash_distance(text_of(test["task"]), text_of(test["agent"]));
  const Value& expected = test["distance"];
  // What exceeds int64 is a double in a Value; the same integer rounds to the same double.
  const bool equal = expected.is_int() ? got == static_cast<std::uint64_t>(expected.as_int())
                                       : static_cast<double>(got) == expected.as_double();
  if (equal) return std::nullopt;
  return cat("distance: expected ", expected.as_double(), ", got ", got);
}

Verdict run_dedicated_fits(const Value& test) {
  SlotRequest request;
  request.id = "task";
  request.slots = int_of(test, "slots", 0);
  std::vector<AgentCapacity> agents;
  for (const Value& capacity : test["capacities"].as_array()) {
    agents.push_back(
        {.id = {std::to_string(agents.size())}, .slots = static_cast<int>(capacity.as_int())});
  }
  core::PoolConfig config;
  config.heterogeneous = bool_of(test, "hetero", false);
  std::set<std::string> chosen;
  for (const Placement& placement : core::find_dedicated_fit(request, agents, config)) {
    chosen.insert(placement.agent.value);
  }
  if (test.find("chosen")) return compare("nodes", join(texts_of(test["chosen"])), join(chosen));
  return compare("nodes", cat(int_of(test, "count", 0)), cat(chosen.size()));
}

// --- priority: a pool that lives through the steps of a case ---

class PriorityCase {
 public:
  explicit PriorityCase(const Value& test) : groups_(test["groups"]) {
    pool_.config.preemption = bool_of(test, "preemption", false);
    pool_.config.heterogeneous = bool_of(test, "hetero", false);
    pool_.config.fit = policy_of(test["fit"]);
    for (const auto& [id, agent] : test["agents"].as_object()) {
      pool_.agents.push_back(agent_of(id, agent));
    }
    add(test["tasks"]);
  }

  Verdict step(const Value& step) {
    const std::string& op = step["op"].as_string();
    if (op == "schedule") return schedule(step);
    if (op == "add") return add(step["tasks"]), std::nullopt;
    if (op == "remove") return remove(texts_of(step["ids"])), std::nullopt;
    if (op == "apply") return apply(), std::nullopt;
    return cat("unknown op ", op);
  }

 private:
  Verdict schedule(const Value& step) {
    for (SlotRequest& request : pool_.requests) {
      const Value& position = step["positions"][request.job];
      request.queue_position = position.is_number() ? position.as_double() : 0;
    }
    last_ = core::schedule_by_priority(pool_);
    std::set<std::string> started, released, backfilled;
    for (const auto& start : last_.start) {
      started.insert(pool_.requests[start.request].id);
      if (start.backfilled) backfilled.insert(pool_.requests[start.request].id);
    }
    for (const std::size_t request : last_.release) released.insert(pool_.requests[request].id);
    Verdict verdict = compare("allocate", join(texts_of(step["allocate"])), join(started));
    if (!verdict) {
      verdict = compare("release", join(texts_of(step["release"])), join(released));
    }
    if (!verdict) {
      verdict = compare("backfilled", join(texts_of(step["backfilled"])), join(backfilled));
    }
    return verdict;
  }

  void add(const Value& tasks) {
    for (const Value& task : tasks.as_array()) {
      SlotRequest request;
      request.id = text_of(task["id"]);
      request.job = text_of(task["group"]);
      request.slots = int_of(task, "slots", 0);
      request.priority = int_of(groups_[request.job], "priority", 42);
      request.preemptible = bool_of(task, "preemptible", true);
      request.requested = next_requested_++;
      if (task.find("on")) place(request, {{{text_of(task["on"])}, request.slots}});
      pool_.requests.push_back(request);
    }
  }

  void remove(const std::set<std::string>& ids) {
    std::erase_if(pool_.requests, [&](const SlotRequest& request) {
      if (!ids.contains(request.id)) return false;
      for (const Placement& placement : request.placed) hold(placement, -1);
      return true;
    });
  }

  void apply() {
    for (const auto& start : last_.start) place(pool_.requests[start.request], start.placements);
  }

  void place(SlotRequest& request, const std::vector<Placement>& placements) {
    request.placed = placements;
    for (const Placement& placement : placements) hold(placement, 1);
  }

  void hold(const Placement& placement, int sign) {
    for (AgentCapacity& agent : pool_.agents) {
      if (agent.id != placement.agent) continue;
      agent.used += sign * placement.slots;
      agent.zero_slot += placement.slots == 0 ? sign : 0;
    }
  }

  Value groups_;
  core::PoolState pool_;
  core::Scheduled last_;
  std::int64_t next_requested_ = 0;
};

Verdict run_priority(const Value& test) {
  PriorityCase pool(test);
  int number = 0;
  for (const Value& step : test["steps"].as_array()) {
    const Verdict verdict = pool.step(step);
    if (verdict) return cat("step ", number, ": ", *verdict);
    ++number;
  }
  return std::nullopt;
}

}  // namespace

std::vector<OracleSection> sched_sections() {
  return {{"priority", run_priority},
          {"find_fits", run_find_fits},
          {"fit_score", run_fit_score},
          {"hash_distance", run_hash_distance},
          {"dedicated_fits", run_dedicated_fits}};
}

}  // namespace dt::sim
