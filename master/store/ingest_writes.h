// Writes what core::plan_ingest decided: points as chunks, log lines as chunks, inbox rows, marks
// and the other records. Tables are always written in the same order and series in order of name,
// so that two ingests at once wait for each other instead of dead-locking. Throws like
// rows_write.h.
#pragma once

#include "core/master/ingest.h"
#include "master/store/store.h"
#include "master/store/transaction.h"

namespace dt::master {

IngestResult write_plan(Transaction& tx, const core::IngestFacts& facts, core::IngestPlan plan);

// Stores the rows and fills in their ids, which rise in the order given.
void write_inbox(Transaction& tx, std::vector<core::InboxRow>& rows);

}  // namespace dt::master
