// The parts of rows that are kept as JSON or text in a column: nodes, slots, files, enumerations.
// Reading throws pqxx::conversion_error on text that this program never wrote; transaction.cpp
// turns that into a Status. Pure.
#pragma once

#include <charconv>
#include <initializer_list>
#include <pqxx/except>
#include <string>
#include <string_view>
#include <vector>

#include "core/master/rows.h"

namespace dt::master {

[[noreturn]] void unreadable(const std::string& what, std::string_view text);

// PostgreSQL's text holds valid UTF-8 without NUL; every other byte becomes U+FFFD, so that no name
// a user picked can make a batch fail for ever.
std::string storable(const std::string& text);
inline Value text_value(const std::string& text) { return Value(storable(text)); }
// A nested value as the text of a json column.
Value json_value(const Value& value);
Value stored_json(std::string_view text);

Value nodes_to_value(const std::vector<core::AllocationNode>& nodes);
std::vector<core::AllocationNode> nodes_of(const Value& value);
Value slots_to_value(const std::vector<core::Slot>& slots);
std::vector<core::Slot> slots_of(const Value& value);
Value files_to_value(const std::vector<core::CheckpointFile>& files);
std::vector<core::CheckpointFile> files_of(const Value& value);
Value integers_to_value(const std::vector<int>& numbers);
Value texts_to_value(const std::vector<std::string>& texts);
std::vector<std::string> texts_of(const Value& value);
Value agents_to_value(const std::vector<AgentId>& agents);
std::vector<AgentId> agents_of(const Value& value);

template <class Enum>
Enum enum_of(const std::string& text, std::initializer_list<Enum> all) {
  using core::to_text;
  for (const Enum one : all) {
    if (text == to_text(one)) return one;
  }
  unreadable("enumerator", text);
}
core::ExperimentState experiment_state_of(const std::string& text);
core::TrialState trial_state_of(const std::string& text);
core::AllocationState allocation_state_of(const std::string& text);
core::CheckpointState checkpoint_state_of(const std::string& text);
core::AgentState agent_state_of(const std::string& text);
core::Order order_of(const std::string& text);
core::RecordKind record_kind_of(const std::string& text);

// PostgreSQL's text form of an array of numbers, "{1,-2,NaN}".
template <class Number>
std::vector<Number> numbers_of(std::string_view text) {
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') unreadable("array", text);
  std::vector<Number> numbers;
  const char* place = text.data() + 1;
  const char* const end = text.data() + text.size() - 1;
  while (place < end) {
    Number number{};
    const auto [stop, problem] = std::from_chars(place, end, number);
    if (problem != std::errc() || (stop != end && *stop != ',')) unreadable("array", text);
    numbers.push_back(number);
    place = stop + 1;
  }
  return numbers;
}

double double_of(std::string_view text);  // "NaN", "Infinity" and "-Infinity" too

}  // namespace dt::master
