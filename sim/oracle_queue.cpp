// The oracle's cases about queues: fair share, the order of tasks, what people are told of jobs, and
// what a drained or disabled agent still offers.
#include <algorithm>
#include <set>

#include "core/sched/fair_share.h"
#include "core/sched/fitting.h"
#include "core/sched/queue.h"
#include "core/sched/schedule.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

using core::PoolState;
using core::SlotRequest;

std::string text_of(const Value& value) {  // ids may look like numbers
  return value.is_int() ? std::to_string(value.as_int()) : value.as_string();
}

std::string text_or(const Value& map, const std::string& key, const std::string& otherwise) {
  const Value* found = map.find(key);
  return found && !found->is_null() ? text_of(*found) : otherwise;
}

std::string join(const std::set<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += joined.empty() ? text : " " + text;
  return "[" + joined + "]";
}

std::set<std::string> texts_of(const Value& list) {
  std::set<std::string> texts;
  if (!list.is_array()) return texts;
  for (const Value& item : list.as_array()) texts.insert(text_of(item));
  return texts;
}

std::string list_of(const Value& list) {
  std::string joined;
  for (const Value& item : list.as_array()) joined += (joined.empty() ? "" : " ") + text_of(item);
  return "[" + joined + "]";
}

Verdict compare(const std::string& what, const std::string& expected, const std::string& got) {
  if (expected == got) return std::nullopt;
  return cat(what, ": expected ", expected, ", got ", got);
}

void add_agents(const Value& agents, PoolState& pool) {
  for (const auto& [id, agent] : agents.as_object()) {
    pool.agents.push_back({.id = {id},
                           .slots = static_cast<int>(int_or(agent, "slots", 0)),
                           .max_zero_slot = static_cast<int>(int_or(agent, "max_zero", 100))});
  }
}

void hold(PoolState& pool, const std::vector<core::Placement>& placements) {
  for (const core::Placement& placement : placements) {
    for (core::AgentCapacity& agent : pool.agents) {
      if (agent.id != placement.agent) continue;
      agent.used += placement.slots;
      agent.zero_slot += placement.slots == 0 ? 1 : 0;
    }
  }
}

// A task without a group is a job of its own.
void add_tasks(const Value& tasks, const Value& groups, PoolState& pool) {
  for (const Value& task : tasks.as_array()) {
    SlotRequest request;
    request.id = text_of(task["id"]);
    request.job = text_or(task, "group", "job of " + request.id);
    request.slots = static_cast<int>(int_or(task, "slots", 0));
    request.priority = static_cast<int>(int_or(groups[request.job], "priority", 42));
    request.preemptible = bool_or(task, "preemptible", true);
    request.job_submitted = int_or(task, "submitted", 0);
    request.requested = static_cast<std::int64_t>(pool.requests.size());
    for (const std::string& id : texts_of(task["blocked"])) request.blocked.insert({id});
    if (task.find("on")) {
      request.placed = {{{text_of(task["on"])}, request.slots}};
      if (bool_or(task, "started", false)) hold(pool, request.placed);
    }
    pool.requests.push_back(std::move(request));
  }
}

// The mocks' weight is 0 where none is given: then each round offers one slot.
void add_shares(const Value& groups, PoolState& pool) {
  for (const SlotRequest& request : pool.requests) {
    const Value& group = groups[request.job];
    core::JobShare& share = pool.jobs[request.job];
    const Value& weight = group["weight"];
    share.weight = weight.is_number() ? weight.as_double() : 0;
    const Value* limit = group.find("max_slots");
    if (limit && limit->is_int()) share.max_slots = static_cast<int>(limit->as_int());
  }
}

std::string ids_of(const PoolState& pool, const std::vector<std::size_t>& requests) {
  std::set<std::string> ids;
  for (const std::size_t request : requests) ids.insert(pool.requests[request].id);
  return join(ids);
}

Verdict run_fair_share(const Value& test) {
  PoolState pool{.config = {.scheduler = core::SchedulerKind::fair_share}};
  add_agents(test["agents"], pool);
  add_tasks(test["tasks"], test["groups"], pool);
  add_shares(test["groups"], pool);
  const core::FairShareDecision decision = core::decide_fair_share(pool);
  // Where upstream slipped, what was meant is given beside what it does.
  const Value& expected = test.find("intended") ? test["intended"] : test;
  const Verdict verdict =
      compare("allocate", join(texts_of(expected["allocate"])), ids_of(pool, decision.start));
  if (verdict) return verdict;
  return compare("release", join(texts_of(expected["release"])), ids_of(pool, decision.release));
}

// By priority, the tasks that `pick` picks, in order.
template <class Pick>
Verdict compare_order(const PoolState& pool, const Value& expected, const char* what, Pick pick) {
  for (const auto& [priority, ids] : expected.as_object()) {
    std::string got;
    for (const std::size_t i : core::serving_order(pool)) {
      const SlotRequest& request = pool.requests[i];
      if (std::to_string(request.priority) != priority || !pick(request)) continue;
      got += (got.empty() ? "" : " ") + request.id;
    }
    const Verdict verdict = compare(cat(what, " ", priority), list_of(ids), "[" + got + "]");
    if (verdict) return verdict;
  }
  return std::nullopt;
}

// Two tasks by (submission of the job, request time): which is first?
Verdict run_comparisons(const Value& test) {
  int number = 0;
  for (const Value& row : test["cmp"].as_array()) {
    PoolState pool;
    for (const std::size_t i : {0, 1}) {
      SlotRequest request{.id = cat("task", i)};
      request.job_submitted = row.as_array()[i].as_array()[0].as_string() == "old" ? 1 : 2;
      request.requested = row.as_array()[i].as_array()[1].as_string() == "old" ? 1 : 2;
      pool.requests.push_back(std::move(request));
    }
    const int got = core::serving_order(pool).front() == 0 ? -1 : 1;
    const Verdict verdict =
        compare(cat("comparison ", number++), cat(row.as_array()[2].as_int()), cat(got));
    if (verdict) return verdict;
  }
  return std::nullopt;
}

Verdict run_task_order(const Value& test) {
  if (test.find("cmp")) return run_comparisons(test);
  PoolState pool;
  add_tasks(test["tasks"], test["groups"], pool);
  Verdict verdict =
      compare_order(pool, test["pending_zero_slot"], "pending zero-slot tasks of priority",
                    [](const SlotRequest& request) { return request.slots == 0; });
  if (verdict) return verdict;
  verdict = compare_order(pool, test["pending_slots"], "pending tasks of priority",
                          [](const SlotRequest& request) { return request.slots > 0; });
  if (verdict) return verdict;
  for (SlotRequest& request : pool.requests) {
    if (request.id == "task5") request.placed = {{{"agent"}, request.slots}};
  }
  return compare_order(pool, test["after_allocating_task5_scheduled"],
                       "scheduled tasks of priority", core::is_running);
}

void schedule_and_apply(PoolState& pool) {
  const core::Scheduled scheduled = core::schedule(pool);
  for (const core::Scheduled::Start& start : scheduled.start) {
    SlotRequest& request = pool.requests[start.request];
    request.placed = start.placements;
    request.backfilled = start.backfilled;
    hold(pool, start.placements);
  }
}

Verdict compare_jobs(const PoolState& pool, const Value& expected) {
  const std::vector<core::JobInfo> jobs = core::job_queue(pool);
  for (const auto& [name, want] : expected.as_object()) {
    const auto job = std::find_if(jobs.begin(), jobs.end(),
                                  [&](const core::JobInfo& one) { return one.job == name; });
    if (job == jobs.end()) return cat("job ", name, " is not in the queue");
    Verdict verdict =
        compare(name + " state", text_or(want, "state", to_text(job->state)), to_text(job->state));
    const std::pair<const char*, int> numbers[] = {
        {"ahead", job->ahead}, {"allocated", job->allocated}, {"requested", job->requested}};
    for (const auto& [key, got] : numbers) {
      if (!verdict) verdict = compare(cat(name, " ", key), cat(int_or(want, key, got)), cat(got));
    }
    if (verdict) return verdict;
  }
  return std::nullopt;
}

Verdict compare_stats(const PoolState& pool, const Value& expected) {
  int queued = 0, scheduled = 0;
  for (const core::JobInfo& job : core::job_queue(pool)) {
    ++(job.state == core::JobInfo::State::queued ? queued : scheduled);
  }
  return compare("jobs queued and scheduled",
                 cat(int_or(expected, "queued", 0), " and ", int_or(expected, "scheduled", 0)),
                 cat(queued, " and ", scheduled));
}

Verdict run_job_queue(const Value& test) {
  PoolState pool;
  const std::string scheduler = test["scheduler"].as_string();
  const auto kind = core::scheduler_kind_of(scheduler);
  if (!kind) return cat("unknown scheduler ", scheduler);
  pool.config.scheduler = *kind;
  add_agents(test["agents"], pool);
  add_tasks(test["tasks"], test["groups"], pool);
  add_shares(test["groups"], pool);
  schedule_and_apply(pool);
  Verdict verdict = test.find("stats") ? compare_stats(pool, test["stats"]) : std::nullopt;
  if (!verdict && test.find("jobs")) verdict = compare_jobs(pool, test["jobs"]);
  if (verdict || !test.find("then_add")) return verdict;
  add_tasks(test["then_add"], test["groups"], pool);
  add_shares(test["groups"], pool);
  schedule_and_apply(pool);
  return compare_jobs(pool, test["then_jobs"]);
}

Verdict run_agent_slots(const Value& test) {
  core::AgentCapacity agent{.slots = static_cast<int>(int_or(test, "slots", 0)),
                            .used = static_cast<int>(int_or(test, "used", 0))};
  const std::string state = test["state"].as_string();
  if (state == "draining") agent.state = core::AgentState::draining;
  if (state == "disabled") agent.state = core::AgentState::disabled;
  return compare("slots", cat(int_or(test, "num_slots", 0)), cat(core::offered_slots(agent)));
}

}  // namespace

std::vector<OracleSection> queue_sections() {
  return {{"fair_share", run_fair_share},
          {"task_order", run_task_order},
          {"job_queue", run_job_queue},
          {"agent_slots", run_agent_slots}};
}

}  // namespace dt::sim
