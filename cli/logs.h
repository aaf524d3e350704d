// Reading a trial's log to the terminal.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"
#include "client/client.h"
#include "dovetail/v1/logs.pb.h"

namespace dt::cli {

// Calls `take` for every line, until the end (with follow: of the trial).
Status read_logs(const client::Client& client, const ::dovetail::v1::ReadLogsRequest& request,
                 const std::function<void(const ::dovetail::v1::LogLine&)>& take);

// "[rank 0] text", "[node 1] text" for the shim's own words; stderr is not marked.
std::string log_text(const ::dovetail::v1::LogLine& line);

}  // namespace dt::cli
