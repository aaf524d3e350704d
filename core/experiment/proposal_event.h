// Proposals to a custom search as events of its log, and back. Pure.
#pragma once

#include "base/status.h"
#include "base/value.h"
#include "core/search/method.h"

namespace dt::core {

// {"event":"proposed","kind":"create","hparams":{…},"from":0}, {…,"kind":"stop","trial":1}, …
Value proposal_event(const Proposal& proposal);
Result<Proposal> proposal_in(const Value& event);

}  // namespace dt::core
