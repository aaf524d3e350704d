// Where a trial's code came from and what it ran on, as dtctl shows it.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "client/client.h"
#include "dovetail/v1/trial.pb.h"

namespace dt::cli {

Result<::dovetail::v1::GetTrialProvenanceResponse> get_provenance(const client::Client& client,
                                                                  std::int64_t trial, int attempt);
// The value of the first fact of this name; empty if there is none.
std::string fact(const ::dovetail::v1::GetTrialProvenanceResponse& provenance,
                 const std::string& group, const std::string& name);
// "commit 1a2b3c4 (main), uncommitted changes; python CPython 3.11.2": for one line of a page.
std::string short_facts(const ::dovetail::v1::GetTrialProvenanceResponse& provenance);

}  // namespace dt::cli
