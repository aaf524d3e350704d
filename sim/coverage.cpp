#include "sim/coverage.h"

#include <iomanip>
#include <string>

#include "base/verify.h"
#include "sim/unreachable.h"

namespace dt::sim {
namespace {

constexpr std::array<const char*, life_states> names{"queued",   "paused",  "preparing",
                                                     "starting", "running", "preempting",
                                                     "stopping", "killing", "settling"};
constexpr int name_width = 16;
constexpr int cell_width = 11;

const char* reason_of(Fault fault, LifeState state) {
  for (const Unreachable& cell : unreachable) {
    if (cell.fault == fault && cell.state == state) return cell.reason;
  }
  return nullptr;
}

}  // namespace

const char* to_text(LifeState state) { return names[static_cast<std::size_t>(state)]; }

LifeState state_of(const core::AllocationRow& allocation) {
  if (allocation.state == core::AllocationState::settling) return LifeState::settling;
  switch (allocation.order) {
    case core::Order::preempt: return LifeState::preempting;
    case core::Order::stop: return LifeState::stopping;
    case core::Order::kill: return LifeState::killing;
    case core::Order::prepare:
    case core::Order::start:
    case core::Order::run: break;
  }
  if (allocation.state == core::AllocationState::preparing) return LifeState::preparing;
  return allocation.state == core::AllocationState::starting ? LifeState::starting
                                                             : LifeState::running;
}

std::int64_t Coverage::hits(Fault fault, LifeState state) const {
  return cells_[static_cast<std::size_t>(fault)][static_cast<std::size_t>(state)];
}

void Coverage::add(const Coverage& other) {
  for (std::size_t fault = 0; fault < cells_.size(); ++fault) {
    for (std::size_t state = 0; state < cells_[fault].size(); ++state) {
      cells_[fault][state] += other.cells_[fault][state];
    }
  }
}

void Coverage::print(std::ostream& out) const {
  out << std::left << std::setw(name_width) << "" << std::right;
  for (const char* name : names) out << std::setw(cell_width) << name;
  out << '\n';
  for (int i = 0; i < fault_kinds; ++i) {
    const auto fault = static_cast<Fault>(i);
    out << std::left << std::setw(name_width) << to_text(fault) << std::right;
    for (int j = 0; j < life_states; ++j) {
      const auto state = static_cast<LifeState>(j);
      const bool listed = reason_of(fault, state) != nullptr && hits(fault, state) == 0;
      out << std::setw(cell_width) << (listed ? "-" : std::to_string(hits(fault, state)));
    }
    out << '\n';
  }
}

int Coverage::complain(std::int64_t least, std::ostream& out) const {
  int complaints = 0;
  for (int i = 0; i < fault_kinds * life_states; ++i) {
    const auto fault = static_cast<Fault>(i / life_states);
    const auto state = static_cast<LifeState>(i % life_states);
    const char* reason = reason_of(fault, state);
    const std::int64_t count = hits(fault, state);
    if (reason != nullptr ? count == 0 : count >= least) continue;
    ++complaints;
    out << "coverage: " << to_text(fault) << " at " << to_text(state) << " was hit " << count
        << " times, ";
    if (reason != nullptr) {
      out << "but is listed as unreachable: " << reason << '\n';
    } else {
      out << "not " << least << '\n';
    }
  }
  return complaints;
}

}  // namespace dt::sim
