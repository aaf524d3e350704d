// Reads that several commands share: whole lists, page by page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "client/client.h"
#include "dovetail/v1/experiment.pb.h"
#include "dovetail/v1/trial.pb.h"

namespace dt::cli {

Result<::dovetail::v1::Experiment> get_experiment(const client::Client& client, std::int64_t id);
Result<std::vector<::dovetail::v1::Trial>> list_trials(const client::Client& client,
                                                       std::int64_t experiment);
bool is_over(const std::string& state);  // COMPLETED, CANCELED or ERROR

}  // namespace dt::cli
