#include "agent/convert.h"

#include "formats/json.h"

namespace dt::agent {

namespace {

void fill(v1::AllocationStatusMessage& wire, const core::AllocationStatus& status) {
  wire.set_allocation_id(to_text(status.allocation));
  wire.set_phase(core::to_text(status.phase));
  wire.set_address(status.address);
  wire.set_port(status.port);
  wire.set_failure(status.failure);
  wire.set_infrastructure(status.infrastructure);
  for (const core::RankExit& exit : status.exits) {
    auto* out = wire.add_exits();
    out->set_rank(exit.rank);
    out->set_code(exit.code);
    out->set_signal(exit.signal);
    out->set_ordered(core::to_text(exit.ordered));
    out->set_seq(exit.seq);
    out->set_out_of_memory(exit.out_of_memory);
  }
}

Result<AllocationId> allocation_from(const std::string& text) {
  AllocationId id;
  if (!core::parse_allocation_id(text, id)) {
    return invalid_argument("\"", text, "\" is no allocation id");
  }
  return id;
}

core::RankTable table_from(const v1::RankTableMessage& message) {
  core::RankTable table{.master_address = message.master_address(),
                        .master_port = message.master_port()};
  for (const auto& place : message.ranks()) {
    table.ranks.push_back({.rank = place.rank(),
                           .node_rank = place.node_rank(),
                           .local_rank = place.local_rank(),
                           .address = place.address()});
  }
  return table;
}

Result<core::Wanted> wanted_from(const v1::WantedMessage& message) {
  core::Wanted wanted{.allocation = TRY(allocation_from(message.allocation_id())),
                      .preempt_left = Duration(message.preempt_left_ms())};
  if (!core::parse_order(message.order(), wanted.order)) {
    return invalid_argument("\"", message.order(), "\" is no order");
  }
  if (message.has_assignment()) wanted.assignment = TRY(assignment_from(message.assignment()));
  if (message.has_table()) wanted.table = table_from(message.table());
  return wanted;
}

}  // namespace

v1::HelloMessage to_wire(const core::AgentHello& hello) {
  v1::HelloMessage wire;
  wire.set_agent_id(hello.agent.value);
  wire.set_machine_id(hello.machine_id);
  wire.set_boot_id(hello.boot_id);
  wire.set_name(hello.name);
  wire.set_address(hello.address);
  wire.set_pool(hello.pool);
  wire.set_version(hello.version);
  wire.set_cluster_id(hello.cluster_id);
  wire.set_cluster_epoch(hello.cluster_epoch);
  wire.set_batch_seen(hello.batch_seen);
  for (const core::Slot& slot : hello.slots) {
    auto* out = wire.add_slots();
    out->set_id(slot.id);
    out->set_kind(core::to_text(slot.kind));
    out->set_device(slot.device);
    out->set_fault(slot.fault);
  }
  for (const core::AllocationStatus& status : hello.allocations) {
    fill(*wire.add_allocations(), status);
  }
  return wire;
}

v1::HeartbeatMessage to_wire(const core::Heartbeat& heartbeat) {
  v1::HeartbeatMessage wire;
  wire.set_agent_id(heartbeat.agent.value);
  wire.set_session(heartbeat.session);
  wire.set_number(heartbeat.number);
  wire.set_batch_seen(heartbeat.batch_seen);
  wire.set_leaving(heartbeat.leaving);
  for (const core::AllocationStatus& status : heartbeat.allocations) {
    fill(*wire.add_allocations(), status);
  }
  for (const core::SlotFault& fault : heartbeat.slot_faults) {
    auto* out = wire.add_slot_faults();
    out->set_slot_id(fault.slot);
    out->set_reason(fault.reason);
  }
  return wire;
}

v1::PushRecordsRequest to_wire(const AgentId& agent, const AllocationId& allocation,
                               const std::vector<core::Record>& records) {
  v1::PushRecordsRequest wire;
  wire.set_agent_id(agent.value);
  wire.set_allocation_id(to_text(allocation));
  for (const core::Record& record : records) {
    auto* out = wire.add_records();
    out->set_stream(record.stream);
    out->set_seq(record.seq);
    out->set_kind(core::to_text(record.kind));
    out->set_time_ms(record.time_ms);
    out->set_rank_seq(record.rank_seq);
    out->set_body_json(to_json(record.body));
  }
  return wire;
}

Result<core::Assignment> assignment_from(const v1::AssignmentMessage& message) {
  core::Assignment assignment{.experiment = {message.experiment_id()},
                              .trial = {message.trial_id()},
                              .attempt = message.attempt(),
                              .restarts = message.restarts(),
                              .trial_seed = message.trial_seed(),
                              .hparams = TRY(parse_json(message.hparams_json())),
                              .config = TRY(parse_json(message.config_json())),
                              .context = {message.context_hash()},
                              .node_rank = message.node_rank(),
                              .nodes = message.nodes(),
                              .first_rank = message.first_rank(),
                              .size = message.size(),
                              .slot_ids = {message.slot_ids().begin(), message.slot_ids().end()}};
  if (!message.has_checkpoint()) return assignment;
  core::CheckpointSource checkpoint{.id = {message.checkpoint().id()},
                                    .step = message.checkpoint().step()};
  for (const auto& file : message.checkpoint().files()) {
    checkpoint.files.push_back(
        {.path = file.path(), .bytes = file.bytes(), .sha256 = file.sha256()});
  }
  assignment.checkpoint = std::move(checkpoint);
  return assignment;
}

Result<HeardAnswer> answer_from(const v1::AnswerMessage& message) {
  HeardAnswer heard{.answer = {.heartbeat = message.heartbeat(),
                               .cluster_id = message.cluster_id(),
                               .cluster_epoch = message.cluster_epoch(),
                               .batch = message.batch(),
                               .session = message.session(),
                               .lease = Duration(message.lease_ms())}};
  for (const auto& one : message.wanted()) {
    core::Wanted wanted = TRY(wanted_from(one));
    if (one.has_assignment()) {
      heard.assignments[wanted.allocation] = one.assignment();
    }
    heard.answer.wanted.push_back(std::move(wanted));
  }
  return heard;
}

core::Marks marks_from(const google::protobuf::RepeatedPtrField<v1::StreamMark>& marks) {
  core::Marks heard;
  for (const v1::StreamMark& mark : marks) heard[mark.stream()] = mark.seq();
  return heard;
}

}  // namespace dt::agent
