#include "cli/read.h"

#include <algorithm>
#include <charconv>

#include "dovetail/v1/admin.grpc.pb.h"
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

Result<std::vector<v1::Trial>> list_trials(const client::Client& client, std::int64_t experiment,
                                           const std::string& filter) {
  std::vector<v1::Trial> trials;
  v1::ListTrialsRequest request;
  request.set_experiment_id(experiment);
  request.set_filter(filter);
  request.mutable_page()->set_size(20'000);
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

Result<std::vector<std::int64_t>> parse_ids(const std::vector<std::string>& words) {
  constexpr std::int64_t ids_max = 10'000;
  std::vector<std::int64_t> ids;
  for (const std::string& word : words) {
    std::int64_t first = 0, last = 0;
    const char* const end = word.data() + word.size();
    auto read = std::from_chars(word.data(), end, first);
    last = first;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') {
      read = std::from_chars(read.ptr + 1, end, last);
    }
    const bool good = read.ec == std::errc() && read.ptr == end && first > 0 && first <= last;
    if (!good || last - first >= ids_max) {
      return invalid_argument("\"", word, "\" is no id").with_hint("as in 3 or 5-9");
    }
    for (std::int64_t id = first; id <= last; ++id) {
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  return ids;
}

Result<v1::AgentInfo> find_agent(const client::Client& client, const std::string& name) {
  const auto listed =
      TRY(client.call<v1::Admin>(&v1::Admin::Stub::ListAgents, v1::ListAgentsRequest()));
  const v1::AgentInfo* found = nullptr;
  for (const v1::AgentInfo& agent : listed.agents()) {
    if (agent.id() == name) return agent;
    if (agent.name() != name) continue;
    if (found != nullptr) {
      return failed_precondition("several agents are called ", name)
          .with_hint("name it by its ID of dtctl agent list");
    }
    found = &agent;
  }
  if (found == nullptr) {
    return not_found("agent ", name, " does not exist").with_hint("dtctl agent list");
  }
  return *found;
}

}  // namespace dt::cli
