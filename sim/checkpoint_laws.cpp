#include "sim/checkpoint_laws.h"

#include <algorithm>

#include "sim/world.h"

namespace dt::sim {
namespace {

using namespace core;  // NOLINT: rows are this file's words

bool has(const std::vector<int>& parts, int part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

bool is_whole(const CheckpointRow& row) {
  return std::ssize(row.parts_announced) == row.parts && std::ssize(row.parts_stored) == row.parts;
}

bool grows(const std::vector<int>& was, const std::vector<int>& is) {
  return std::includes(is.begin(), is.end(), was.begin(), was.end()) &&
         std::adjacent_find(is.begin(), is.end(), std::greater_equal<>()) == is.end();
}

bool lives(const Turn& turn, ExperimentId id) {
  const ExperimentState state = turn.after(id)->state;
  return state != ExperimentState::canceled && state != ExperimentState::completed &&
         state != ExperimentState::error;
}

bool failed_to_upload(const Turn& turn, const CheckpointId& id) {
  return std::any_of(turn.inbox.begin(), turn.inbox.end(), [&](const InboxRow& row) {
    return row.part_stored && row.body["id"] == Value(id.value) && row.body["failure"].is_string();
  });
}

}  // namespace

void CheckpointLaws::master_starts(const Rows& rows) {
  newest_.clear();
  pending_.clear();
  for (const auto& [id, row] : rows.checkpoints) {
    if (row.state == CheckpointState::pending) pending_[row.allocation].insert(id);
    if (row.state != CheckpointState::stored) continue;
    auto& newest = newest_[row.trial];
    newest = std::max(newest, Newest{row.allocation, row.step});
  }
}

Breach CheckpointLaws::check(const Turn& turn) {
  for (const CheckpointRow& row : turn.writes().checkpoints) {
    if (Breach breach = row_breach(turn, row); !breach.empty()) {
      return cat("checkpoint ", row.id, ' ', breach);
    }
  }
  for (const InboxRow& row : turn.inbox) {
    if (row.kind != RecordKind::checkpoint) continue;
    if (Breach breach = heard(turn, row); !breach.empty()) return breach;
  }
  for (const TrialRow& row : turn.writes().trials) {
    if (Breach breach = newest_breach(turn, row); !breach.empty()) return breach;
  }
  return attempts_wait(turn);
}

// Of two of one attempt and step either may be the one.
Breach CheckpointLaws::newest_breach(const Turn& turn, const TrialRow& row) const {
  const auto newest = newest_.find(row.id);
  if (newest == newest_.end()) {
    const CheckpointRow* parents = turn.after(row.latest_checkpoint);  // of a copy
    const bool right = !row.latest_checkpoint ||
                       (parents != nullptr && parents->state == CheckpointState::stored &&
                        parents->trial != row.id);
    return right ? "" : cat("trial ", row.id, " goes on from nothing that is stored");
  }
  const CheckpointRow* named = turn.after(row.latest_checkpoint);
  const bool right = named != nullptr && named->state == CheckpointState::stored &&
                     Newest{named->allocation, named->step} == newest->second;
  if (right) return "";
  return cat("P1: trial ", row.id, " goes on from ", row.latest_checkpoint,
             ", which is not its newest");
}

Breach CheckpointLaws::row_breach(const Turn& turn, const CheckpointRow& row) {
  const CheckpointRow* was = Turn::find(turn.before.checkpoints, row.id);
  const CheckpointRow fresh{.id = row.id, .trial = row.trial, .allocation = row.allocation};
  const CheckpointRow& from = was == nullptr ? fresh : *was;
  if (from.trial != row.trial || from.allocation != row.allocation) return "changes its attempt";
  if (from.state == CheckpointState::stored && !(from == row)) return "P8: was stored, but changes";
  const AllocationRow* allocation = turn.after(row.allocation);
  if (allocation == nullptr || allocation->trial != row.trial) return "belongs to another trial";
  if (!grows(from.parts_announced, row.parts_announced)) return "forgets an announced part";
  if (!grows(from.parts_stored, row.parts_stored)) return "forgets a stored part";
  if (row.files.size() != row.parts_announced.size()) return "has not the files of its parts";
  for (const int part : row.parts_stored) {
    if (!world_.database.has_part(row.id, part)) return cat("P1: part ", part, " is not stored");
  }
  return state_breach(turn, was, row);
}

Breach CheckpointLaws::state_breach(const Turn& turn, const CheckpointRow* was,
                                    const CheckpointRow& is) {
  if (is_whole(is) != (is.state == CheckpointState::stored)) {
    return cat("P1: is ", is_whole(is) ? "whole" : "not whole", ", but ", core::to_text(is.state));
  }
  auto& pending = pending_[is.allocation];
  if (is.state == CheckpointState::pending) {
    pending.insert(is.id);
    if (was != nullptr && was->state != is.state) return "is waited for again";
    return "";
  }
  pending.erase(is.id);
  if (is.state == CheckpointState::stored) {
    auto& newest = newest_[is.trial];
    newest = std::max(newest, Newest{is.allocation, is.step});
    return "";
  }
  const bool is_new = was == nullptr || was->state == CheckpointState::pending;
  return is.state == CheckpointState::abandoned && is_new ? abandoned(turn, was, is) : "";
}

// P1: only what cannot come any more, or has not for too long.
Breach CheckpointLaws::abandoned(const Turn& turn, const CheckpointRow* was,
                                 const CheckpointRow& is) const {
  if (failed_to_upload(turn, is.id)) return "";
  const AllocationRow& row = *turn.after(is.allocation);
  const bool given_up = std::any_of(row.nodes.begin(), row.nodes.end(),
                                    [](const AllocationNode& node) { return node.given_up; });
  const bool over = row.state >= AllocationState::settling;
  if (was == nullptr) return over || given_up ? "" : "is given up as it is announced";
  if (!over) return "is given up while its attempt runs";
  const bool missing = std::ssize(is.parts_announced) < is.parts;
  const bool timer = turn.heard<TimerFired>() != nullptr;
  return missing || given_up || timer ? "" : "is given up, though it may still come";
}

// What an inbox row told stands in a row.
Breach CheckpointLaws::heard(const Turn& turn, const InboxRow& inbox) const {
  const TrialRow* trial = Turn::find(turn.before.trials, inbox.trial);
  if (trial == nullptr || !lives(turn, trial->experiment)) return "";
  if (inbox.body["failure"].is_string()) return "";
  const CheckpointId id{inbox.body["id"].as_string()};
  const CheckpointRow* row = turn.after(id);
  const int part = static_cast<int>(inbox.body["part"].as_int());
  const bool known =
      row != nullptr && has(inbox.part_stored ? row->parts_stored : row->parts_announced, part);
  if (!known) {
    return cat("P1: part ", part, " of checkpoint ", id, " was ",
               inbox.part_stored ? "uploaded" : "announced", ", but no row tells of it");
  }
  if (inbox.part_stored) return "";
  const bool same = Value(row->step) == inbox.body["step"] &&
                    Value(row->parts) == inbox.body["parts"] && row->trial == inbox.trial &&
                    row->allocation == inbox.allocation;
  return same ? "" : cat("checkpoint ", id, " is not what was announced");
}

// No attempt ends while a checkpoint of it may come, and each ends when none may.
Breach CheckpointLaws::attempts_wait(const Turn& turn) const {
  const auto waits = [&](AllocationId id) {
    const auto found = pending_.find(id);
    return found != pending_.end() && !found->second.empty();
  };
  for (const AllocationRow& row : turn.writes().allocations) {
    const bool orphan = turn.event == nullptr;
    if (row.state == AllocationState::ended && waits(row.id) && !orphan) {
      return cat("P1: allocation ", row.id, " ends before its checkpoints are stored");
    }
    if (row.state == AllocationState::settling && !waits(row.id)) {
      return cat("P6: allocation ", row.id, " waits for no checkpoint, but does not end");
    }
  }
  for (const CheckpointRow& row : turn.writes().checkpoints) {
    const AllocationRow& allocation = *turn.after(row.allocation);
    if (allocation.state == AllocationState::settling && !waits(row.allocation)) {
      return cat("P6: allocation ", row.allocation, " waits for no checkpoint, but does not end");
    }
  }
  return "";
}

}  // namespace dt::sim
