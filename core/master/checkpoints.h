// Checkpoints between announcement and store (DESIGN §7). pending → stored, or abandoned: at once
// when the attempt is over and a part was never announced, when the agent that holds a missing part
// is given up, when an upload failed for good, or after a time without progress. One that was
// abandoned, or first announced when nobody waited for it any more, is stored for later attempts
// if it arrives after all.
#pragma once

#include "core/master/book.h"

namespace dt::core {

// A sign of life: the time without progress begins anew.
void note_upload(Step& step, AllocationId allocation);
// From the inbox: a rank wrote a part; the agent's upload of a part ended. Repeats have no effect.
void announce_checkpoint(Step& step, const InboxRow& inbox);
void end_upload(Step& step, const InboxRow& inbox);

bool has_pending_checkpoint(const Book& book, AllocationId allocation);

// Of an attempt that is over: abandons what can no longer become complete.
void abandon_hopeless_checkpoints(Step& step, AllocationId allocation);
void abandon_pending_checkpoints(Step& step, AllocationId allocation);

// Is it what recover() is given: pending, abandoned, some trial's latest, or what an attempt that
// prepares resumes from?
bool is_recovered(const Book& book, const CheckpointRow& row);
void forget_superseded_checkpoints(Book& book);

}  // namespace dt::core
