#include "cli/read.h"

#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"

namespace dt::cli {

namespace v1 = ::dovetail::v1;

Result<v1::Experiment> get_experiment(const client::Client& client, std::int64_t id) {
  v1::GetExperimentRequest request;
  request.set_id(id);
  return TRY(client.call<v1::Experiments>(&v1::Experiments::Stub::GetExperiment, request))
      .experiment();
}

Result<std::vector<v1::Trial>> list_trials(const client::Client& client, std::int64_t experiment) {
  std::vector<v1::Trial> trials;
  v1::ListTrialsRequest request;
  request.set_experiment_id(experiment);
  request.mutable_page()->set_size(1000);
  do {
    const auto page = TRY(client.call<v1::Trials>(&v1::Trials::Stub::ListTrials, request));
    trials.insert(trials.end(), page.trials().begin(), page.trials().end());
    request.mutable_page()->set_token(page.next_page_token());
  } while (!request.page().token().empty());
  return trials;
}

bool is_over(const std::string& state) {
  return state == "COMPLETED" || state == "CANCELED" || state == "ERROR";
}

}  // namespace dt::cli
