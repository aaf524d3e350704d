// Writes what core::plan_ingest decided: points as chunks, log lines as chunks, inbox rows, marks
// and the other records. Trials are written in order of id, the tables of each always in the same
// order and series in order of name, so that two ingests at once wait for each other instead of
// dead-locking. Throws like
// rows_write.h.
#pragma once

#include "core/master/ingest.h"
#include "master/store/store.h"
#include "master/store/transaction.h"

namespace dt::master {

struct PlanToWrite {
  const core::IngestFacts* facts = nullptr;
  core::IngestPlan plan{};
};

// A result for each, in order; trial and experiment are the caller's to fill in.
std::vector<IngestResult> write_plans(Transaction& tx, std::vector<PlanToWrite> plans);

// Stores the rows and fills in their ids, which rise in the order given.
void write_inbox(Transaction& tx, std::vector<core::InboxRow>& rows);

}  // namespace dt::master
