// Writes the rows of one batch into their tables and raises the batch's number: one statement for
// nearly all of it, however many rows and kinds of rows there are. Throws libpqxx's exceptions; for
// use inside a transaction's work only.
#pragma once

#include "core/master/commit.h"
#include "core/master/rows.h"
#include "master/store/transaction.h"

namespace dt::master {

// False when the stored batch is not the one before `next`, or another master's: then the transaction
// must not be committed.
bool write_batch(Transaction& tx, const core::LoopState& next, const core::Writes& writes);

}  // namespace dt::master
