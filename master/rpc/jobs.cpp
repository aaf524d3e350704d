// Jobs: the queue, and why a job waits. All of it is the brain's own view (core/master/queue.h).
#include <algorithm>

#include "core/model/page_range.h"
#include "dovetail/v1/job.grpc.pb.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

v1::Job to_wire(const core::Job& job) {
  v1::Job wire;
  wire.set_experiment_id(job.experiment.value);
  wire.set_name(job.name);
  wire.set_owner(job.owner);
  wire.set_pool(job.pool);
  wire.set_priority(job.priority);
  wire.set_state(core::to_text(job.state));
  wire.set_position(job.position);
  wire.set_slots_held(job.slots_held);
  wire.set_slots_wanted(job.slots_wanted);
  wire.set_trials_running(job.trials_running);
  wire.set_trials_waiting(job.trials_waiting);
  wire.set_reason(job.reason);
  wire.set_submitted_ms(job.submitted_ms);
  wire.set_weight(job.weight);
  if (job.max_slots) wire.set_max_slots(*job.max_slots);
  wire.set_estimated_start_ms(job.estimated_start_ms);
  return wire;
}

class JobsService final : public v1::Jobs::Service {
 public:
  explicit JobsService(const Services& services) : services_(services) {}

  grpc::Status ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return list(*request, *response); });
  }

  grpc::Status ExplainJob(grpc::ServerContext* context, const v1::ExplainJobRequest* request,
                          v1::ExplainJobResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return explain(*request, *response); });
  }

 private:
  Status list(const v1::ListJobsRequest& request, v1::ListJobsResponse& response) {
    const auto queue = services_.loop.queue();
    std::vector<const core::Job*> jobs;
    for (const core::Job& job : queue->jobs) {
      if (request.pool().empty() || job.pool == request.pool()) jobs.push_back(&job);
    }
    const int total = static_cast<int>(jobs.size());
    const core::PageRange range = TRY(core::page_range(total, request.offset(), request.limit()));
    for (int i = range.start; i < range.start + range.count; ++i) {
      *response.add_jobs() = to_wire(*jobs[static_cast<std::size_t>(i)]);
    }
    response.set_total(total);
    return {};
  }

  Status explain(const v1::ExplainJobRequest& request, v1::ExplainJobResponse& response) {
    const ExperimentId id{request.experiment_id()};
    const auto queue = services_.loop.queue();
    const auto job = std::find_if(queue->jobs.begin(), queue->jobs.end(),
                                  [&](const core::Job& one) { return one.experiment == id; });
    if (job == queue->jobs.end()) {
      const core::ExperimentRow row = TRY(services_.store.experiment(id));
      return failed_precondition("experiment ", id, " is ", core::to_text(row.state),
                                 ": it is not in the queue any more");
    }
    *response.mutable_job() = to_wire(*job);
    for (const core::QueuedTrial& trial : job->trials) {
      v1::TrialReason* reason = response.add_trials();
      reason->set_trial_id(trial.trial.value);
      reason->set_state(core::to_text(trial.state));
      reason->set_slots(trial.slots);
      reason->set_reason(trial.reason);
    }
    return {};
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_jobs_service(const Services& services) {
  return std::make_unique<JobsService>(services);
}

}  // namespace dt::master
