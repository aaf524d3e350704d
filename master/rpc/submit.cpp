#include "master/rpc/submit.h"

#include <map>

#include "formats/json.h"
#include "formats/sha256.h"
#include "master/provenance.h"
#include "master/rpc/config_text.h"
#include "master/rpc/warm_start.h"
#include "master/rpc/wire_items.h"

namespace dt::master {
namespace {

constexpr int submit_items_max = 1000;

// As submitted. With a base or overrides it is what they made of the text, so that a fork has them
// too; JSON is YAML.
std::string text_of(const v1::CreateExperimentRequest& request, const YamlDocument& document) {
  if (request.overrides().empty() && request.base_yaml().empty()) return request.config_yaml();
  std::string text;
  for (const std::string& override_text : request.overrides()) {
    text += cat("# --set ", override_text.substr(0, override_text.find('\n')), "\n");
  }
  return text + to_json_pretty(document.value) + "\n";
}

struct ReadConfig {
  core::ParsedConfig parsed;
  std::string text;
  std::string json;
};

Result<ReadConfig> config_of(const Services& services, const v1::CreateExperimentRequest& request) {
  const YamlDocument document =
      TRY(read_config(request.config_yaml(), request.overrides(), request.base_yaml()));
  const std::vector<Status> problems = check_text(document);
  if (!problems.empty()) return join_problems(problems);
  core::ParsedConfig parsed = TRY(core::parse_config(document.value, defaults_now(services.clock)));
  TRY(add_observations(services.store, parsed));
  return ReadConfig{
      .parsed = std::move(parsed),
      .text = text_of(request, document),
      .json = to_json(document.value)};
}

// The configurations of one call: those of many experiments at once are often the same, and reading
// one costs more than all else that is done for it here.
class ReadConfigs {
 public:
  explicit ReadConfigs(const Services& services) : services_(services) {}

  const Result<ReadConfig>& of(const v1::CreateExperimentRequest& request) {
    std::vector<std::string> key{request.config_yaml(), request.base_yaml()};
    key.insert(key.end(), request.overrides().begin(), request.overrides().end());
    const auto known = read_.find(key);
    if (known != read_.end()) return known->second;
    return read_.emplace(std::move(key), config_of(services_, request)).first->second;
  }

 private:
  const Services& services_;
  std::map<std::vector<std::string>, Result<ReadConfig>> read_;
};

Result<core::ExperimentSubmitted> submission_of(const Services& services, const Caller& caller,
                                                const v1::CreateExperimentRequest& request,
                                                ReadConfigs& configs) {
  const Result<ReadConfig>& config = configs.of(request);
  if (!config.ok()) return config.status();
  if (!request.context_hash().empty()) TRY(services.store.context({request.context_hash()}));
  if (request.forked_from() != 0) TRY(services.store.experiment({request.forked_from()}));
  TRY(check_provenance(request.provenance()));
  const std::string digest = sha256_hex(cat(config->json, '\n', request.context_hash(), '\n',
                                            request.paused(), '\n', request.forked_from()));
  return core::ExperimentSubmitted{
      .request = {.request_id = request.request_id(), .user = caller.user, .digest = digest},
      .config = config->parsed,
      .config_text = config->text,
      .context = {request.context_hash()},
      .paused = request.paused(),
      .forked_from = {request.forked_from()},
      .provenance = request.has_provenance() ? provenance_value(request.provenance()) : Value()};
}

}  // namespace

Status create_experiment(const Services& services, const Caller& caller,
                         const v1::CreateExperimentRequest& request,
                         v1::CreateExperimentResponse& response) {
  ReadConfigs configs(services);
  core::ExperimentSubmitted event = TRY(submission_of(services, caller, request, configs));
  const std::vector<std::string> warnings = event.config.warnings;
  const Value reply = TRY(services.loop.ask([&](core::ReplyToken token) {
    event.request.token = token;
    return std::move(event);
  }));
  response.set_experiment_id(reply["id"].as_int());
  for (const std::string& warning : warnings) response.add_warnings(warning);
  return {};
}

Status create_experiments(const Services& services, const Caller& caller,
                          const v1::CreateExperimentsRequest& request,
                          v1::CreateExperimentsResponse& response) {
  if (request.experiments_size() > submit_items_max) {
    return too_many("experiments", request.experiments_size(), submit_items_max);
  }
  core::ExperimentsSubmitted event{
      .request = {.request_id = request.request_id(), .user = caller.user}};
  ReadConfigs configs(services);
  std::vector<v1::CreateResult*> results;  // of those that reach the loop
  for (const v1::CreateExperimentRequest& one : request.experiments()) {
    v1::CreateResult* result = response.add_results();
    Result<core::ExperimentSubmitted> parsed = submission_of(services, caller, one, configs);
    if (!parsed.ok()) {
      *result->mutable_error() = item_error(parsed.status());
      continue;
    }
    for (const std::string& warning : parsed->config.warnings) result->add_warnings(warning);
    event.request.digest = sha256_hex(event.request.digest + parsed->request.digest);
    event.experiments.push_back(std::move(parsed).value());
    results.push_back(result);
  }
  const Value reply = TRY(services.loop.ask([&](core::ReplyToken token) {
    event.request.token = token;
    return std::move(event);
  }));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Value& one = reply.as_array()[i];
    if (const Value* error = one.find("error")) {
      *results[i]->mutable_error() = item_error(*error);
    } else {
      results[i]->set_experiment_id(one["id"].as_int());
    }
  }
  return {};
}

}  // namespace dt::master
