// Searches: what a program proposes to a custom search, and what a search has heard.
#include "dovetail/v1/search.grpc.pb.h"
#include "formats/json.h"
#include "formats/sha256.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

constexpr int events_max = 1000;

Result<core::Proposal> new_trial(const v1::NewTrial& trial) {
  const Result<Value> hparams = parse_json(trial.hparams_json());
  if (!hparams.ok() || !hparams->is_object()) {
    return invalid_argument("hparams_json must be a map such as {\"lr\":0.1}, not ",
                            trial.hparams_json());
  }
  core::ProposeTrial propose{.hparams = *hparams};
  if (trial.has_from()) propose.parent = trial.from();
  return core::Proposal(std::move(propose));
}

Result<core::Proposal> proposal_of(const v1::ProposeRequest& request) {
  switch (request.proposal_case()) {
    case v1::ProposeRequest::kCreate: return new_trial(request.create());
    case v1::ProposeRequest::kStop: return core::Proposal(core::StopTrial{request.stop()});
    case v1::ProposeRequest::kPause: return core::Proposal(core::PauseTrial{request.pause()});
    case v1::ProposeRequest::kResume: return core::Proposal(core::ResumeTrial{request.resume()});
    case v1::ProposeRequest::kFinish: return core::Proposal(core::FinishSearch{});
    default: break;
  }
  return invalid_argument("the request proposes nothing")
      .with_hint("set create, stop, pause, resume or finish");
}

// The same proposal has the same text, whoever sends it.
std::string digest_of(v1::ProposeRequest request) {
  request.clear_request_id();
  return sha256_hex(request.SerializeAsString());
}

class SearchesService final : public v1::Searches::Service {
 public:
  explicit SearchesService(const Services& services) : services_(services) {}

  grpc::Status Propose(grpc::ServerContext* context, const v1::ProposeRequest* request,
                       v1::ProposeResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller& caller) { return propose(caller, *request, *response); });
  }

  grpc::Status ListSearchEvents(grpc::ServerContext* context,
                                const v1::ListSearchEventsRequest* request,
                                v1::ListSearchEventsResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return list_events(*request, *response); });
  }

 private:
  Status propose(const Caller& caller, const v1::ProposeRequest& request,
                 v1::ProposeResponse& response) {
    const core::Proposal proposal = TRY(proposal_of(request));
    const Value reply = TRY(services_.loop.ask([&](core::ReplyToken token) {
      return core::SearchProposed{.request = {.request_id = request.request_id(),
                                              .user = caller.user,
                                              .digest = digest_of(request),
                                              .token = token},
                                  .experiment = {request.experiment_id()},
                                  .proposal = proposal};
    }));
    if (!reply["trial"].is_int()) return {};
    response.set_trial(static_cast<int>(reply["trial"].as_int()));
    response.set_trial_id(reply["trial_id"].as_int());
    return {};
  }

  // The state first: who sees an end has seen all events.
  Status list_events(const v1::ListSearchEventsRequest& request,
                     v1::ListSearchEventsResponse& response) {
    const ExperimentId id{request.experiment_id()};
    const core::ExperimentRow row = TRY(services_.store.experiment(id));
    const auto events = TRY(services_.store.search_events(id, request.after(), events_max));
    for (const core::SearcherEventRow& event : events) {
      v1::SearchEvent* out = response.add_events();
      out->set_number(event.number);
      out->set_event_json(to_json(event.event));
    }
    response.set_experiment_state(core::to_text(row.state));
    return {};
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_searches_service(const Services& services) {
  return std::make_unique<SearchesService>(services);
}

}  // namespace dt::master
