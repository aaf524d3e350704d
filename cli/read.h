// Reads that several commands share: whole lists, page by page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/client.h"
#include "dovetail/v1/admin.pb.h"
#include "dovetail/v1/experiment.pb.h"
#include "dovetail/v1/trial.pb.h"

namespace dt::cli {

Result<::dovetail::v1::Experiment> get_experiment(const client::Client& client, std::int64_t id);
// Those that pass the filter (docs/filters.md).
Result<std::vector<::dovetail::v1::Trial>> list_trials(const client::Client& client,
                                                       std::int64_t experiment,
                                                       const std::string& filter = "");
// "3", "5-9": each id once, in the order given.
Result<std::vector<std::int64_t>> parse_ids(const std::vector<std::string>& words);
// By id, or by a name that only one agent has.
Result<::dovetail::v1::AgentInfo> find_agent(const client::Client& client, const std::string& name);
bool is_over(const std::string& state);  // COMPLETED, CANCELED or ERROR

}  // namespace dt::cli
