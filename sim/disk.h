// A node's disk: folders of allocations, and spools that forget at a power loss what was not
// fsynced. Reads see everything that was written, synced or not, as a page cache does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/agent/messages.h"
#include "core/agent/record.h"

namespace dt::sim {

class Spool {
 public:
  void append(core::Record record) {
    if (record.rank_seq > 0) said_[{record.stream, record.rank_seq}] = appended() + 1;
    records_.push_back(std::move(record));
  }
  std::int64_t appended() const { return static_cast<std::int64_t>(records_.size()); }
  void synced(std::int64_t count) { synced_ = std::max(synced_, count); }
  std::int64_t synced() const { return synced_; }
  void lose_unsynced() { records_.resize(static_cast<std::size_t>(synced_)); }

  std::vector<core::Record> read(const core::Marks& from, std::size_t most, bool& at_end) const {
    std::vector<core::Record> found;
    at_end = true;
    for (const core::Record& record : records_) {
      const auto mark = from.find(record.stream);
      if (mark != from.end() && record.seq <= mark->second) continue;
      if (found.size() == most) {
        at_end = false;
        break;
      }
      found.push_back(record);
    }
    return found;
  }
  const std::vector<core::Record>& records() const { return records_; }
  // Is a rank's message, by its own number, on the disk itself?
  bool is_safe(int rank, std::int64_t rank_seq) const {
    const auto found = said_.find({rank, rank_seq});
    return found != said_.end() && found->second <= synced_;
  }

 private:
  std::vector<core::Record> records_;
  std::map<std::pair<int, std::int64_t>, std::int64_t> said_;  // place in the spool
  std::int64_t synced_ = 0;
};

// One allocation's folder.
struct Folder {
  Spool spool;
  core::AllocationStatus state;  // state.json
  bool has_state = false;
  core::Marks marks;  // as the agent keeps them
};

struct Disk {
  std::map<AllocationId, Folder> folders;
  // The agent's own memory.
  std::string cluster_id;
  std::int64_t cluster_epoch = 0;
  std::int64_t batch_seen = 0;
};

}  // namespace dt::sim
