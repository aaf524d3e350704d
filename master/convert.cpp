#include "master/convert.h"

#include <charconv>

#include "formats/json.h"
#include "proto/status_wire.h"

namespace dt::master {
namespace {

template <class Enum>
Result<Enum> parse_enum(const std::string& text, std::initializer_list<Enum> values,
                        const char* what) {
  for (const Enum value : values) {
    if (text == core::to_text(value)) return value;
  }
  return invalid_argument("\"", text, "\" is no ", what);
}

Result<core::Order> parse_order(const std::string& text) {
  using core::Order;
  return parse_enum(text, {Order::prepare, Order::start, Order::run, Order::preempt, Order::stop, Order::kill},
                    "order");
}

Result<core::AllocationStatus> from_wire(const v1::AllocationStatusMessage& message) {
  using core::AllocationPhase;
  core::AllocationStatus status;
  status.allocation = TRY(parse_allocation_id(message.allocation_id()));
  status.phase = TRY(parse_enum(message.phase(),
                                {AllocationPhase::preparing, AllocationPhase::ready,
                                 AllocationPhase::running, AllocationPhase::ended, AllocationPhase::lost},
                                "phase of an allocation"));
  status.address = message.address();
  status.port = message.port();
  status.failure = message.failure();
  status.infrastructure = message.infrastructure();
  for (const auto& exit : message.exits()) {
    status.exits.push_back({.rank = exit.rank(),
                            .code = exit.code(),
                            .signal = exit.signal(),
                            .ordered = TRY(parse_order(exit.ordered())),
                            .seq = exit.seq(),
                            .out_of_memory = exit.out_of_memory()});
  }
  return status;
}

template <class Messages>
Result<std::vector<core::AllocationStatus>> statuses_from_wire(const Messages& messages) {
  std::vector<core::AllocationStatus> statuses;
  for (const auto& message : messages) statuses.push_back(TRY(from_wire(message)));
  return statuses;
}

void fill(v1::AssignmentMessage& wire, const core::Assignment& assignment) {
  wire.set_experiment_id(assignment.experiment.value);
  wire.set_trial_id(assignment.trial.value);
  wire.set_attempt(assignment.attempt);
  wire.set_restarts(assignment.restarts);
  wire.set_trial_seed(assignment.trial_seed);
  wire.set_hparams_json(to_json(assignment.hparams));
  wire.set_config_json(to_json(assignment.config));
  wire.set_context_hash(assignment.context.value);
  wire.set_node_rank(assignment.node_rank);
  wire.set_nodes(assignment.nodes);
  wire.set_first_rank(assignment.first_rank);
  wire.set_size(assignment.size);
  for (const std::string& slot : assignment.slot_ids) wire.add_slot_ids(slot);
  if (!assignment.checkpoint) return;
  auto* checkpoint = wire.mutable_checkpoint();
  checkpoint->set_id(assignment.checkpoint->id.value);
  checkpoint->set_step(assignment.checkpoint->step);
  for (const core::CheckpointFile& file : assignment.checkpoint->files) {
    auto* out = checkpoint->add_files();
    out->set_path(file.path);
    out->set_bytes(file.bytes);
    out->set_sha256(file.sha256);
  }
}

void fill(v1::RankTableMessage& wire, const core::RankTable& table) {
  wire.set_master_address(table.master_address);
  wire.set_master_port(table.master_port);
  for (const core::RankPlace& place : table.ranks) {
    auto* out = wire.add_ranks();
    out->set_rank(place.rank);
    out->set_node_rank(place.node_rank);
    out->set_local_rank(place.local_rank);
    out->set_address(place.address);
  }
}

}  // namespace

grpc::Status reply_of(const Status& status) {
  Status told = status;
  // A commit whose outcome is not known is asked for again: repeating a call has one effect (P8).
  if (status.code() == Code::unknown) {
    told = Status(Code::unavailable, status.message()).with_detail(status.detail());
  }
  // Without a hint a client takes it for the network's word: that the master cannot be reached.
  const bool is_bare = told.code() == Code::unavailable && told.detail().hint.empty();
  return to_grpc(is_bare ? std::move(told).with_hint("try again") : told);
}

Result<AllocationId> parse_allocation_id(std::string_view text) {
  AllocationId id;
  const char* end = text.data() + text.size();
  const auto epoch = std::from_chars(text.data(), end, id.epoch);
  if (epoch.ec == std::errc() && epoch.ptr != end && *epoch.ptr == '.') {
    const auto number = std::from_chars(epoch.ptr + 1, end, id.number);
    if (number.ec == std::errc() && number.ptr == end && id) return id;
  }
  return invalid_argument("\"", text, "\" is no allocation id");
}

Result<core::AgentHello> from_wire(const v1::HelloMessage& message) {
  core::AgentHello hello{.agent = {message.agent_id()},
                         .machine_id = message.machine_id(),
                         .boot_id = message.boot_id(),
                         .name = message.name(),
                         .address = message.address(),
                         .pool = message.pool(),
                         .slots = {},
                         .version = message.version(),
                         .cluster_id = message.cluster_id(),
                         .cluster_epoch = message.cluster_epoch(),
                         .batch_seen = message.batch_seen(),
                         .allocations = TRY(statuses_from_wire(message.allocations()))};
  if (!hello.agent) return invalid_argument("an agent needs an id");
  for (const auto& slot : message.slots()) {
    if (slot.kind() != "cpu" && slot.kind() != "cuda") {
      return invalid_argument("\"", slot.kind(), "\" is no kind of slot");
    }
    const auto kind = slot.kind() == "cpu" ? core::SlotKind::cpu : core::SlotKind::cuda;
    hello.slots.push_back(
        {.id = slot.id(), .kind = kind, .device = slot.device(), .fault = slot.fault()});
  }
  return hello;
}

Result<core::Heartbeat> from_wire(const v1::HeartbeatMessage& message) {
  core::Heartbeat heartbeat{.agent = {message.agent_id()},
                            .session = message.session(),
                            .number = message.number(),
                            .batch_seen = message.batch_seen(),
                            .allocations = TRY(statuses_from_wire(message.allocations())),
                            .slot_faults = {},
                            .leaving = message.leaving()};
  for (const auto& fault : message.slot_faults()) {
    heartbeat.slot_faults.push_back({.slot = fault.slot_id(), .reason = fault.reason()});
  }
  return heartbeat;
}

Result<core::Record> from_wire(const v1::RecordMessage& message) {
  core::Record record{.stream = message.stream(),
                      .seq = message.seq(),
                      .kind = core::RecordKind::log,
                      .time_ms = message.time_ms(),
                      .rank_seq = message.rank_seq(),
                      .body = TRY(parse_json(message.body_json()))};
  if (!core::parse_record_kind(message.kind(), record.kind)) {
    return invalid_argument("\"", message.kind(), "\" is no kind of record");
  }
  return record;
}

v1::AnswerMessage to_wire(const core::Answer& answer,
                          const std::function<std::string(const AllocationId&)>& rank_token) {
  v1::AnswerMessage wire;
  wire.set_heartbeat(answer.heartbeat);
  wire.set_cluster_id(answer.cluster_id);
  wire.set_cluster_epoch(answer.cluster_epoch);
  wire.set_batch(answer.batch);
  wire.set_session(answer.session);
  wire.set_lease_ms(answer.lease.count());
  for (const core::Wanted& wanted : answer.wanted) {
    auto* out = wire.add_wanted();
    out->set_allocation_id(to_text(wanted.allocation));
    out->set_order(core::to_text(wanted.order));
    out->set_preempt_left_ms(wanted.preempt_left.count());
    if (wanted.assignment) {
      fill(*out->mutable_assignment(), *wanted.assignment);
      out->mutable_assignment()->set_rank_token(rank_token(wanted.allocation));
    }
    if (wanted.table) fill(*out->mutable_table(), *wanted.table);
  }
  return wire;
}

v1::AllocationMarks to_wire(const AllocationId& allocation, const core::Marks& marks) {
  v1::AllocationMarks wire;
  wire.set_allocation_id(to_text(allocation));
  for (const auto& [stream, seq] : marks) {
    auto* mark = wire.add_marks();
    mark->set_stream(stream);
    mark->set_seq(seq);
  }
  return wire;
}

v1::Experiment to_wire(const core::ExperimentRow& row, ConfigText config_text) {
  v1::Experiment wire;
  wire.set_id(row.id.value);
  wire.set_name(row.name);
  wire.set_owner(row.owner);
  wire.set_state(core::to_text(row.state));
  if (config_text == ConfigText::include) {
    wire.set_config_json(to_json(row.config));
    wire.set_config_yaml(row.config_text);
  }
  wire.set_context_hash(row.context.value);
  const Value& searcher = row.config["searcher"];
  if (searcher["name"].is_string()) wire.set_searcher(searcher["name"].as_string());
  if (searcher["metric"].is_string()) wire.set_metric(searcher["metric"].as_string());
  const Value& smaller = searcher["smaller_is_better"];
  wire.set_smaller_is_better(!smaller.is_bool() || smaller.as_bool());
  wire.set_progress(row.progress);
  wire.set_best_trial_id(row.best_trial.value);
  if (row.best_metric) wire.set_best_metric(*row.best_metric);
  wire.set_created_ms(row.created_ms);
  wire.set_ended_ms(row.ended_ms);
  wire.set_message(row.message);
  wire.set_priority(row.priority);
  wire.set_forked_from(row.forked_from.value);
  const Value& slots = row.config["resources"]["slots_per_trial"];
  if (slots.is_int()) wire.set_slots_per_trial(static_cast<int>(slots.as_int()));
  if (row.config["labels"].is_array()) {
    for (const Value& label : row.config["labels"].as_array()) {
      if (label.is_string()) wire.add_labels(label.as_string());
    }
  }
  if (row.config["description"].is_string()) wire.set_description(row.config["description"].as_string());
  wire.set_archived(row.archived);
  wire.set_notes(row.notes);
  const Value& resources = row.config["resources"];
  wire.set_weight(resources["weight"].is_number() ? resources["weight"].as_double() : 1);
  if (resources["max_slots"].is_int()) {
    wire.set_max_slots(static_cast<int>(resources["max_slots"].as_int()));
  }
  return wire;
}

v1::Trial to_wire(const core::TrialRow& row, const std::string& waiting_reason) {
  v1::Trial wire;
  wire.set_id(row.id.value);
  wire.set_experiment_id(row.experiment.value);
  wire.set_number(row.number);
  wire.set_state(core::to_text(row.state));
  wire.set_hparams_json(to_json(row.hparams));
  wire.set_seed(row.seed);
  wire.set_attempts(row.attempts);
  wire.set_restarts(row.restarts);
  wire.set_stopped_by_searcher(row.stopped_by_searcher);
  if (row.latest_metric) wire.set_latest_metric(*row.latest_metric);
  wire.set_latest_step(row.latest_step);
  if (row.best_metric) wire.set_best_metric(*row.best_metric);
  wire.set_best_step(row.best_step);
  wire.set_progress(row.progress);
  wire.set_created_ms(row.created_ms);
  wire.set_ended_ms(row.ended_ms);
  wire.set_message(row.message);
  wire.set_latest_checkpoint(row.latest_checkpoint.value);
  wire.set_waiting_reason(waiting_reason);
  for (const AgentId& agent : row.excluded_agents) wire.add_excluded_agents(agent.value);
  wire.set_log_policy(row.log_policy);
  return wire;
}

v1::Attempt to_wire(const core::AllocationRow& row,
                    const std::map<AgentId, std::string>& agent_names) {
  v1::Attempt wire;
  wire.set_allocation_id(to_text(row.id));
  wire.set_attempt(row.attempt);
  wire.set_state(core::to_text(row.state));
  wire.set_size(row.size);
  wire.set_created_ms(row.created_ms);
  wire.set_started_ms(row.started_ms);
  wire.set_ended_ms(row.ended_ms);
  wire.set_outcome(row.outcome);
  wire.set_resumed_from(row.resumed_from.value);
  for (const core::AllocationNode& node : row.nodes) {
    auto* out = wire.add_nodes();
    out->set_agent_id(node.agent.value);
    const auto name = agent_names.find(node.agent);
    if (name != agent_names.end()) out->set_agent_name(name->second);
    for (const std::string& slot : node.slot_ids) out->add_slot_ids(slot);
    out->set_phase(core::to_text(node.phase));
    out->set_address(node.address);
  }
  return wire;
}

v1::Checkpoint to_wire(const core::CheckpointRow& row) {
  v1::Checkpoint wire;
  wire.set_id(row.id.value);
  wire.set_trial_id(row.trial.value);
  wire.set_allocation_id(to_text(row.allocation));
  wire.set_step(row.step);
  wire.set_state(core::to_text(row.state));
  std::int64_t bytes = 0;
  for (const core::CheckpointFile& file : row.files) bytes += file.bytes;
  wire.set_bytes(bytes);
  wire.set_created_ms(row.created_ms);
  return wire;
}

}  // namespace dt::master
