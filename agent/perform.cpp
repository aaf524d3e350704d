// The actions of the brain, each repeatable: what blocks goes to a worker, whose end is an event.
#include <spdlog/spdlog.h>

#include <filesystem>

#include "agent/agent.h"
#include "agent/files.h"
#include "agent/launch.h"
#include "agent/remains.h"
#include "dovetail/v1/agent.grpc.pb.h"

namespace dt::agent {

using namespace core::relay;  // NOLINT: the brain's events and actions are this file's words

namespace {

Value time_or_null(Time time) { return time == never ? Value() : Value(to_ms(time)); }

}  // namespace

void Agent::perform(const SendHeartbeat& action) { link_->send(to_wire(action.heartbeat)); }

void Agent::perform(const Remember& action) {
  const Status kept = data_.remember(action);
  if (kept.ok() || !send_complaints_.is_due(kept.message())) return;
  spdlog::error("the cluster cannot be remembered: {}", kept.text());
}

void Agent::perform(const Prepare& action) {
  const AllocationId id = action.allocation;
  const auto message = assignments_.find(id);
  if (message == assignments_.end()) return post(PrepareFailed{id, "no assignment", true});
  auto made = make_allocation(id, data_.allocation(id), data_.contexts(), user_, message->second);
  if (!made.ok()) return post(PrepareFailed{id, made.status().text(), false});
  Local& mine = local(id);
  mine.allocation = std::move(made).value();
  mine.fetching = std::stop_source();
  NodeFacts node = node_;
  node.cluster_id = brain_.options().cluster_id;
  Preparation preparation{.client = client_,
                          .contexts = contexts_,
                          .node = std::move(node),
                          .address = options_.address,
                          .socket_dir = data_.path(),
                          .shim = own_folder() + "/dt-shim",
                          .complain = [this](const Status& problem) {
                            if (send_complaints_.is_due(cat("full ", data_.path()))) {
                              spdlog::warn("{}", problem.text());
                            }
                          }};
  transfers_->run([this, id, preparation = std::move(preparation), allocation = *mine.allocation,
                   assignment = message->second,
                   fetching = mine.fetching](const std::stop_token& stop) mutable {
    const std::stop_callback also(stop, [&] { fetching.request_stop(); });
    auto shim = prepare_allocation(preparation, allocation, assignment, fetching.get_token());
    if (!shim.ok()) {
      const bool is_ours = shim.status().code() != Code::invalid_argument;
      return post(PrepareFailed{id, shim.status().text(), is_ours});
    }
    post(Prepared{id});
    shims_->watch(id, std::move(shim).value());
  });
}

void Agent::perform(const StartRanks& action) {
  const Local& mine = local(action.allocation);
  if (!mine.allocation) return;  // its assignment was lost: it was said at the start
  NodeFacts node = node_;
  node.cluster_id = brain_.options().cluster_id;
  shims_->send(action.allocation, start_order(*mine.allocation, node, action.table));
}

void Agent::perform(const TellShim& action) {
  if (action.order == core::Order::kill) local(action.allocation).fetching.request_stop();
  Value order;
  order.set("op", core::to_text(action.order));
  if (action.order == core::Order::preempt) {
    order.set("left_ms", std::int64_t{action.left.count()});
  }
  shims_->send(action.allocation, order);
  shims_->wake(action.allocation);  // TellShim always means an end, sooner or later
}

void Agent::perform(const ExtendLease& action) {
  Value order;
  order.set("op", "lease")
      .set("checkpoint_at_ms", time_or_null(action.checkpoint_at))
      .set("deadline_ms", time_or_null(action.deadline));
  shims_->send(action.allocation, order);
}

void Agent::perform(const ClearRemains& action) {
  spdlog::warn("allocation {}: its shim died", to_text(action.allocation));
  janitor_->run([this, id = action.allocation](const std::stop_token& stop) {
    const int killed = clear_remains(id, identity_.agent, stop);
    if (killed > 0) spdlog::warn("allocation {}: killed {} processes", to_text(id), killed);
    if (!stop.stop_requested()) post(RemainsCleared{id});
  });
}

void Agent::perform(const ReadSpool& action) {
  senders_->run([this, id = action.allocation, from = action.from,
                 spool = local(action.allocation).spool](const std::stop_token&) {
    auto batch = spool->read(from);
    if (batch.ok()) return post(SpoolRead{id, std::move(batch->records), batch->at_end});
    if (send_complaints_.is_due(batch.status().message())) {
      spdlog::error("allocation {}: {}", to_text(id), batch.status().text());
    }
    post(SpoolRead{id, {}, true});  // nothing more can be had from it
  });
}

void Agent::perform(const SendRecords& action) {
  senders_->run([this, id = action.allocation,
                 request = to_wire(identity_.agent, action.allocation, action.records)](
                    const std::stop_token& stop) {
    const auto answer = client_.call<v1::AgentLink>(&v1::AgentLink::Stub::PushRecords, request,
                                                    {.retry_unavailable = false, .stop = stop});
    if (answer.ok()) return post(Acknowledged{id, marks_from(answer->marks())});
    const Status& problem = answer.status();
    if (problem.code() == Code::not_found) {
      // Its history is gone (a restore): nobody wants these records any more.
      spdlog::warn("allocation {}: {}", to_text(id), problem.text());
      core::Marks marks;
      for (const auto& record : request.records()) marks[record.stream()] = record.seq();
      return post(Acknowledged{id, std::move(marks)});
    }
    if (problem.code() != Code::unavailable && send_complaints_.is_due(problem.message())) {
      spdlog::error("allocation {}: its records are not taken: {}", to_text(id), problem.text());
    }
    post(SendFailed{id});
  });
}

void Agent::perform(const UploadPart& action) {
  const Local& mine = local(action.allocation);
  if (!mine.allocation) {
    return post(PartFailed{action.allocation, action.checkpoint, action.part, "no place", false});
  }
  if (mine.stored.contains({action.checkpoint, action.part})) {
    return post(PartStored{action.allocation, action.checkpoint, action.part});
  }
  transfers_->run([this, action, folder = mine.allocation->folder,
                   place = mine.allocation->checkpoints](const std::stop_token& stop) {
    const Status stored = upload_part(client_, place, action.allocation, action.checkpoint,
                                      action.part, action.files, stop);
    if (stored.ok()) {
      note_stored(folder, {action.checkpoint, action.part});
      return post(PartStored{action.allocation, action.checkpoint, action.part});
    }
    if (stored.code() != Code::unavailable && send_complaints_.is_due(stored.message())) {
      spdlog::warn("checkpoint {} part {} is tried again: {}", to_text(action.checkpoint),
                   action.part, stored.text());
    }
    post(PartFailed{action.allocation, action.checkpoint, action.part, stored.text(), true});
  });
}

void Agent::perform(const RemoveFolder& action) {
  locals_.erase(action.allocation);
  janitor_->run([folder = data_.allocation(action.allocation)](const std::stop_token&) {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    if (error) spdlog::warn("cannot remove {}: {}", folder, error.message());
  });
}

void Agent::perform(const WakeAt& action) { wake_at_ = action.time; }

void Agent::perform(const Leave&) {
  left_ = true;
  link_->leave();
}

}  // namespace dt::agent
