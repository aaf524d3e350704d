// What ranks said and what became of it. Holds P1 for data: what was acknowledged to a rank is on
// the disk, arrives in the database once, with all that a decision needs in the inbox, and is read
// before the attempt's end is judged. The plan of each ingest is made here a second time, by other
// means. One thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/agent/record.h"
#include "core/master/ingest.h"
#include "core/master/rows.h"
#include "sim/disk.h"
#include "sim/processes.h"

namespace dt::sim {

class World;

class Words {
 public:
  explicit Words(World& world) : world_(world) {}

  void said(const RankId& id, std::int64_t rank_seq, core::RecordKind kind, const Value& body);
  void appended(AllocationId allocation, const core::Record& record);
  void acknowledged(const RankId& id, std::int64_t rank_seq, const Spool& spool);
  void ingested(AllocationId allocation, const core::Marks& before,
                const std::vector<core::Record>& records, const core::IngestPlan& plan);
  void folder_removed(AllocationId allocation, const Spool& spool);
  void scrapped(AllocationId allocation);  // its disk is gone, with what nobody had fetched

  // The exit of a rank as its shim recorded it; null: there is none.
  const core::RankExit* exit_of(const RankId& id) const;
  void at_end() const;

 private:
  void part_was_uploaded(AllocationId allocation, const core::Record& record) const;

  struct Stream {                // of one rank
    std::int64_t last_said = 0;  // by the rank's own number
    std::int64_t acknowledged = 0;
    std::vector<std::int64_t> seq_of;  // by the rank's number − 1; 0: not appended
    std::int64_t last_appended = 0;
  };

  World& world_;
  std::map<RankId, Stream> streams_;
  std::map<RankId, core::RankExit> exits_;
  std::set<AllocationId> scrapped_;
};

}  // namespace dt::sim
