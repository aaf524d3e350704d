#include "core/search/rung_evidence.h"

#include "base/cat.h"

namespace dt::core {

void RungEvidence::add(double first, double next) {
  if (trials_.size() == most_trials) return;
  for (const auto& [other_first, other_next] : trials_) {
    ++compared_;
    const bool alike = (first < other_first) == (next < other_next) &&
                       (first > other_first) == (next > other_next);
    alike_ += alike ? 1 : 0;
  }
  trials_.emplace_back(first, next);
}

// Fewer than four of five. By chance it would be one of two.
bool RungEvidence::doubts_first() const {
  return trials_.size() >= least_trials && alike_ * 5 < compared_ * 4;
}

Value RungEvidence::snapshot() const {
  Value::Array pairs;
  for (const auto& [first, next] : trials_) pairs.push_back(Value::Array{first, next});
  return Value(std::move(pairs));
}

Status RungEvidence::restore(const Value& snapshot) {
  if (!snapshot.is_array()) return data_loss("searcher snapshot: 'evidence' must be a list");
  for (const Value& one : snapshot.as_array()) {
    const bool is_pair = one.is_array() && one.as_array().size() == 2 &&
                         one.as_array()[0].is_number() && one.as_array()[1].is_number();
    if (!is_pair) return data_loss("searcher snapshot: 'evidence' must list two metrics each");
    add(one.as_array()[0].as_double(), one.as_array()[1].as_double());
  }
  return {};
}

}  // namespace dt::core
