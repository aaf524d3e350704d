// Checkpoints between announcement and store (DESIGN §7). pending → stored, or abandoned: at once
// when the attempt is over and a part was never announced, when the agent that holds a missing part
// is given up, when an upload failed for good, or after a time without progress. An abandoned one
// that arrives after all is stored for later attempts.
#pragma once

#include "core/master/book.h"

namespace dt::core {

// From the inbox: a rank wrote a part; the agent's upload of a part ended.
void announce_checkpoint(Step& step, const InboxRow& inbox);
void end_upload(Step& step, const InboxRow& inbox);

bool has_pending_checkpoint(const Book& book, AllocationId allocation);

// Of an attempt that is over: abandons what can no longer become complete.
void abandon_hopeless_checkpoints(Step& step, AllocationId allocation);
void abandon_pending_checkpoints(Step& step, AllocationId allocation);

// Is it what recover() is given: pending, abandoned, or some trial's latest?
bool is_recovered(const Book& book, const CheckpointRow& row);
// Keeps that, and what an attempt that prepares resumes from.
void forget_superseded_checkpoints(Book& book);

}  // namespace dt::core
