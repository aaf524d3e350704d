// Between the core's structs and the wire, in the directions the agent needs. What the wire says is
// checked; what is not understood is an invalid_argument that names it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "core/agent/messages.h"
#include "core/agent/record.h"
#include "dovetail/v1/agent.pb.h"

namespace dt::agent {

namespace v1 = ::dovetail::v1;

v1::HelloMessage to_wire(const core::AgentHello& hello);
v1::HeartbeatMessage to_wire(const core::Heartbeat& heartbeat);
v1::PushRecordsRequest to_wire(const AgentId& agent, const AllocationId& allocation,
                               const std::vector<core::Record>& records);

// An assignment also goes past the brain as it came: it is kept in the allocation's folder, with
// the rank token, a secret that decides nothing.
struct HeardAnswer {
  core::Answer answer;
  std::map<AllocationId, v1::AssignmentMessage> assignments;
};
Result<core::Assignment> assignment_from(const v1::AssignmentMessage& message);
Result<HeardAnswer> answer_from(const v1::AnswerMessage& message);
core::Marks marks_from(const google::protobuf::RepeatedPtrField<v1::StreamMark>& marks);

}  // namespace dt::agent
