// Small builders for pools, nodes and requests, and the text form of a schedule that the tests of
// this folder compare.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/cat.h"
#include "core/sched/request.h"

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

inline std::string to_text(const std::vector<Placement>& placements) {
  std::string text;
  for (const Placement& placement : placements) {
    text += cat(text.empty() ? "" : " ", placement.agent, ":", placement.slots);
  }
  return text;
}

// "start a@n1:2 b@n1:1 | release c"
inline std::string to_text(const Scheduled& scheduled) {
  std::string text = "start";
  for (const auto& [id, placements] : scheduled.start) {
    text += cat(" ", id, "@", to_text(placements), scheduled.backfilled.contains(id) ? "*" : "");
  }
  text += " | release";
  for (const std::string& id : scheduled.release) text += cat(" ", id);
  return text;
}

}  // namespace dt::core
