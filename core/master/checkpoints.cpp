#include "core/master/checkpoints.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/experiment/attempt_end.h"

namespace dt::core {
namespace {

constexpr std::int64_t parts_max = 65'536;
constexpr std::size_t id_bytes_max = 200;

struct Announcement {
  CheckpointId id;
  std::int64_t step = 0;
  int part = 0;
  int parts = 1;
  std::vector<CheckpointFile> files;
  Value metadata;
};

std::int64_t int_of(const Value& value, std::int64_t fallback) {
  return value.is_int() ? value.as_int() : fallback;
}

std::optional<std::vector<CheckpointFile>> files_of(const Value& list) {
  if (list.is_null()) return std::vector<CheckpointFile>{};
  if (!list.is_array()) return std::nullopt;
  std::vector<CheckpointFile> files;
  for (const Value& file : list.as_array()) {
    if (!file["path"].is_string() || !file["sha256"].is_string()) return std::nullopt;
    files.push_back({.path = file["path"].as_string(),
                     .bytes = int_of(file["bytes"], 0),
                     .sha256 = file["sha256"].as_string()});
  }
  return files;
}

// Nothing when the record is malformed: shims check what ranks say, so this is not worth a word.
std::optional<Announcement> read_announcement(const Value& body) {
  const Value& id = body["id"];
  const bool has_id = id.is_string() && !id.as_string().empty();
  if (!has_id || id.as_string().size() > id_bytes_max) return std::nullopt;
  const std::int64_t parts = int_of(body["parts"], 1);
  const std::int64_t part = int_of(body["part"], 0);
  if (parts < 1 || parts > parts_max || part < 0 || part >= parts) return std::nullopt;
  std::optional<std::vector<CheckpointFile>> files = files_of(body["files"]);
  if (!files) return std::nullopt;
  return Announcement{.id = {id.as_string()},
                      .step = int_of(body["step"], 0),
                      .part = static_cast<int>(part),
                      .parts = static_cast<int>(parts),
                      .files = *std::move(files),
                      .metadata = body["metadata"]};
}

bool insert_sorted(std::vector<int>& numbers, int number) {
  const auto place = std::lower_bound(numbers.begin(), numbers.end(), number);
  if (place != numbers.end() && *place == number) return false;
  numbers.insert(place, number);
  return true;
}

bool is_complete(const CheckpointRow& row) {
  return static_cast<int>(row.parts_announced.size()) == row.parts &&
         static_cast<int>(row.parts_stored.size()) == row.parts;
}

// A later attempt's comes after, then the larger step.
bool is_newer(const CheckpointRow& a, const CheckpointRow& b) {
  return std::tie(a.allocation, a.step) > std::tie(b.allocation, b.step);
}

bool is_wanted(const Book& book, const CheckpointId& id) {
  return std::any_of(book.allocations.begin(), book.allocations.end(), [&](const auto& entry) {
    const AllocationRow& row = entry.second.row;
    return row.resumed_from == id && row.order == Order::prepare;
  });
}

void store(Step& step, CheckpointRow& row) {
  row.state = CheckpointState::stored;
  TrialMemory* trial = step.book.find(row.trial);
  if (trial == nullptr) return;
  const auto latest = step.book.checkpoints.find(trial->row.latest_checkpoint);
  const bool is_latest = latest == step.book.checkpoints.end() || is_newer(row, latest->second);
  if (is_latest) step.book.edit(trial->row.id).latest_checkpoint = row.id;
}

void store_if_complete(Step& step, CheckpointRow& row) {
  const bool open =
      row.state == CheckpointState::pending || row.state == CheckpointState::abandoned;
  if (open && is_complete(row)) store(step, row);
}

// The node that holds a part: rank 0's when there is one part, rank p's when each rank has one.
const AllocationNode* node_of_part(const AllocationRow& allocation, int parts, int part) {
  if (parts != 1 && parts != allocation.size) return nullptr;
  const int rank = parts == 1 ? 0 : part;
  for (const AllocationNode& node : allocation.nodes) {
    if (rank >= node.first_rank && rank < node.first_rank + rank_count(node)) return &node;
  }
  return nullptr;
}

bool is_hopeless(const CheckpointRow& row, const AllocationRow& allocation) {
  if (static_cast<int>(row.parts_announced.size()) < row.parts) return true;
  const auto any_gone = [&] {
    return std::any_of(allocation.nodes.begin(), allocation.nodes.end(),
                       [](const AllocationNode& node) { return node.given_up; });
  };
  for (int part = 0; part < row.parts; ++part) {
    if (std::binary_search(row.parts_stored.begin(), row.parts_stored.end(), part)) continue;
    const AllocationNode* node = node_of_part(allocation, row.parts, part);
    if (node == nullptr ? any_gone() : node->given_up) return true;
  }
  return false;
}

template <class Hopeless>
void abandon_if(Step& step, AllocationId allocation, const Hopeless& is_without_hope) {
  for (const auto& [id, row] : step.book.checkpoints) {
    const bool pending = row.allocation == allocation && row.state == CheckpointState::pending;
    if (!pending || !is_without_hope(row)) continue;
    step.book.edit(id).state = CheckpointState::abandoned;
  }
}

// Does anybody still wait for what this rank writes?
bool is_waited_for(const AllocationMemory* allocation, int rank) {
  if (allocation == nullptr || allocation->row.state == AllocationState::settling) return false;
  for (const AllocationNode& node : allocation->row.nodes) {
    const bool holds = rank >= node.first_rank && rank < node.first_rank + rank_count(node);
    if (holds) return !node.given_up;
  }
  return false;
}

CheckpointRow& find_or_add(Step& step, const InboxRow& inbox, const Announcement& said) {
  if (step.book.checkpoints.contains(said.id)) return step.book.edit(said.id);
  const bool in_time = is_waited_for(step.book.find(inbox.allocation), inbox.stream);
  return step.book.add(
      CheckpointRow{.id = said.id,
                    .trial = inbox.trial,
                    .allocation = inbox.allocation,
                    .parts = said.parts,
                    .state = in_time ? CheckpointState::pending : CheckpointState::abandoned,
                    .created_ms = to_ms(step.now)});
}

// A copy of a trial has not made a checkpoint of its own yet.
bool is_inherited(const Book& book, const CheckpointId& id) {
  if (!book.inherited.contains(id)) return false;
  return std::any_of(book.trials.begin(), book.trials.end(),
                     [&](const auto& entry) { return entry.second.row.latest_checkpoint == id; });
}

}  // namespace

void note_upload(Step& step, AllocationId allocation) {
  AllocationMemory* memory = step.book.find(allocation);
  if (memory != nullptr) memory->upload_moved = step.now;
}

void announce_checkpoint(Step& step, const InboxRow& inbox) {
  std::optional<Announcement> said = read_announcement(inbox.body);
  if (!said || step.book.find(inbox.trial) == nullptr) return;
  note_upload(step, inbox.allocation);
  CheckpointRow& row = find_or_add(step, inbox, *said);
  if (row.allocation != inbox.allocation) return;  // the id of another attempt's
  if (!insert_sorted(row.parts_announced, said->part)) return;
  row.parts = said->parts;
  row.step = said->step;
  row.files.insert(row.files.end(), said->files.begin(), said->files.end());
  if (!said->metadata.is_null()) row.metadata = std::move(said->metadata);
  store_if_complete(step, row);
}

void end_upload(Step& step, const InboxRow& inbox) {
  const Value& id = inbox.body["id"];
  const std::int64_t part = int_of(inbox.body["part"], 0);
  if (!id.is_string() || id.as_string().empty() || part < 0 || part >= parts_max) return;
  note_upload(step, inbox.allocation);
  const CheckpointId checkpoint{id.as_string()};
  // Agents upload what was announced, and the inbox keeps that order; so one that is not known is
  // stored and superseded since, and this is a repeat.
  if (!step.book.checkpoints.contains(checkpoint)) return;
  CheckpointRow& row = step.book.edit(checkpoint);
  if (row.allocation != inbox.allocation) return;
  const Value& failure = inbox.body["failure"];
  if (failure.is_string() && !failure.as_string().empty()) {
    if (row.state == CheckpointState::pending) row.state = CheckpointState::abandoned;
    return;
  }
  insert_sorted(row.parts_stored, static_cast<int>(part));
  store_if_complete(step, row);
}

bool has_pending_checkpoint(const Book& book, AllocationId allocation) {
  return std::any_of(book.checkpoints.begin(), book.checkpoints.end(), [&](const auto& entry) {
    return entry.second.allocation == allocation && entry.second.state == CheckpointState::pending;
  });
}

void abandon_hopeless_checkpoints(Step& step, AllocationId allocation) {
  const AllocationMemory* memory = step.book.find(allocation);
  if (memory == nullptr) return;
  abandon_if(step, allocation,
             [&](const CheckpointRow& row) { return is_hopeless(row, memory->row); });
}

void abandon_pending_checkpoints(Step& step, AllocationId allocation) {
  abandon_if(step, allocation, [](const CheckpointRow&) { return true; });
}

bool is_recovered(const Book& book, const CheckpointRow& row) {
  const bool open =
      row.state == CheckpointState::pending || row.state == CheckpointState::abandoned;
  const auto trial = book.trials.find(row.trial);
  const bool latest = trial != book.trials.end() && trial->second.row.latest_checkpoint == row.id;
  return open || latest || is_wanted(book, row.id) || is_inherited(book, row.id);
}

void forget_superseded_checkpoints(Book& book) {
  std::set<CheckpointId> candidates = std::exchange(book.perhaps_superseded, {});
  candidates.insert(book.inherited.begin(), book.inherited.end());
  for (const CheckpointId& id : candidates) {
    const auto found = book.checkpoints.find(id);
    if (found != book.checkpoints.end() && !is_recovered(book, found->second)) {
      book.checkpoints.erase(found);
    }
  }
}

}  // namespace dt::core
