// Between the core's structs and the wire (proto/dovetail/v1), in the directions the master needs.
// Text from the wire is checked; what is not understood is an invalid_argument that names it.
#pragma once

#include <grpcpp/support/status.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "core/agent/messages.h"
#include "core/master/rows.h"
#include "dovetail/v1/admin.pb.h"
#include "dovetail/v1/agent.pb.h"
#include "dovetail/v1/experiment.pb.h"
#include "dovetail/v1/trial.pb.h"

namespace dt::master {

namespace v1 = ::dovetail::v1;

// What a caller hears of a handler's status.
grpc::Status reply_of(const Status& status);
Result<AllocationId> parse_allocation_id(std::string_view text);

Result<core::AgentHello> from_wire(const v1::HelloMessage& message);
Result<core::Heartbeat> from_wire(const v1::HeartbeatMessage& message);
Result<core::Record> from_wire(const v1::RecordMessage& message);

// `rank_token`: of each wanted allocation that is to be prepared.
v1::AnswerMessage to_wire(const core::Answer& answer,
                          const std::function<std::string(const AllocationId&)>& rank_token);
v1::AllocationMarks to_wire(const AllocationId& allocation, const core::Marks& marks);

enum class ConfigText { leave_out, include };
v1::Experiment to_wire(const core::ExperimentRow& row, ConfigText config_text);
v1::Trial to_wire(const core::TrialRow& row, const std::string& waiting_reason);
v1::Attempt to_wire(const core::AllocationRow& row,
                    const std::map<AgentId, std::string>& agent_names);
v1::Checkpoint to_wire(const core::CheckpointRow& row);

}  // namespace dt::master
