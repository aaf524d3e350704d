// Small builders for pools, nodes and requests, and the text form of a schedule that the tests of
// this folder compare.
#pragma once

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/cat.h"
#include "core/sched/schedule.h"

namespace dt::core {

inline AgentCapacity node(const char* id, int slots, int used = 0) {
  return {.id = {id}, .slots = slots, .used = used};
}

inline SlotRequest request(const char* id, int slots, int priority = 42) {
  return {.id = id, .job = id, .slots = slots, .priority = priority};
}

inline SlotRequest running(SlotRequest request, const char* agent) {
  request.placed = {{{agent}, request.slots}};
  return request;
}

inline SlotRequest part(const char* id, int slot_milli) {
  SlotRequest part = request(id, 1);
  part.slot_milli = slot_milli;
  return part;
}

inline SlotRequest at(SlotRequest request, double queue_position) {
  request.queue_position = queue_position;
  return request;
}

// "2x4 1x8": n1 and n2 with 4 slots, n3 with 8.
inline std::vector<AgentCapacity> cluster(const std::string& shape) {
  std::vector<AgentCapacity> agents;
  std::istringstream words(shape);
  int count = 0, slots = 0;
  for (char x = 0; words >> count >> x >> slots;) {
    for (int i = 0; i < count; ++i) {
      agents.push_back({.id = {cat("n", agents.size() + 1)}, .slots = slots});
    }
  }
  return agents;
}

// "n1:4 n2:4"; a part of a slot is "n1:0.5#0", taken from the first shared slot.
inline std::string to_text(const std::vector<Placement>& placements) {
  std::string text;
  for (const Placement& placement : placements) {
    text += cat(text.empty() ? "" : " ", placement.agent, ":");
    if (placement.shared < 0) {
      text += cat(placement.slots);
    } else {
      text += cat(placement.slot_milli / 1000.0, "#", placement.shared);
    }
  }
  return text;
}

// "start a@n1:2 b@n1:1* | release c": by id; * marks what was backfilled.
inline std::string to_text(const PoolState& pool, const Scheduled& scheduled) {
  std::map<std::string, std::string> started;
  for (const Scheduled::Start& start : scheduled.start) {
    started[pool.requests[start.request].id] =
        cat("@", to_text(start.placements), start.backfilled ? "*" : "");
  }
  std::set<std::string> released;
  for (const std::size_t request : scheduled.release) released.insert(pool.requests[request].id);
  std::string text = "start";
  for (const auto& [id, where] : started) text += cat(" ", id, where);
  text += " | release";
  for (const std::string& id : released) text += cat(" ", id);
  return text;
}

inline std::string reason_of(const PoolState& pool, const std::string& id) {
  const Scheduled scheduled = schedule(pool);
  for (const Scheduled::Waiting& waiting : scheduled.waiting) {
    if (pool.requests[waiting.request].id == id) return scheduled.reasons[waiting.reason];
  }
  return "";
}

}  // namespace dt::core
