// Writes the rows of one batch into their tables: one statement for each kind of row that the batch
// has, however many rows there are, parents before children. Throws libpqxx's exceptions; for use
// inside a transaction's work only.
#pragma once

#include "core/master/rows.h"
#include "master/store/transaction.h"

namespace dt::master {

void write_rows(Transaction& tx, const core::Writes& writes);

}  // namespace dt::master
