#include "master/rpc/experiment_verbs.h"

#include "formats/sha256.h"
#include "master/rpc/config_text.h"
#include "master/rpc/wire_items.h"

namespace dt::master {
namespace {

constexpr int change_items_max = 10'000;

Result<core::Verb> verb_of(v1::ExperimentVerb verb) {
  switch (verb) {
    case v1::EXPERIMENT_VERB_PAUSE: return core::Verb::pause;
    case v1::EXPERIMENT_VERB_ACTIVATE: return core::Verb::activate;
    case v1::EXPERIMENT_VERB_CANCEL: return core::Verb::cancel;
    case v1::EXPERIMENT_VERB_KILL: return core::Verb::kill;
    case v1::EXPERIMENT_VERB_ARCHIVE: return core::Verb::archive;
    case v1::EXPERIMENT_VERB_UNARCHIVE: return core::Verb::unarchive;
    case v1::EXPERIMENT_VERB_DELETE: return core::Verb::erase;
    default: break;
  }
  return invalid_argument("verb ", static_cast<int>(verb), " is not known")
      .with_hint("pause, activate, cancel, kill, archive, unarchive or delete");
}

// Two requests are one if they are the same on the wire.
template <class Request>
core::RequestInfo info_of(const Request& request, const Caller& caller) {
  Request content = request;
  content.clear_request_id();
  return {.request_id = request.request_id(),
          .user = caller.user,
          .digest = sha256_hex(content.SerializeAsString())};
}

template <class Event>
Result<Value> ask(const Services& services, Event event) {
  return services.loop.ask([&](core::ReplyToken token) {
    event.request.token = token;
    return std::move(event);
  });
}

std::string text_in(const Value& value, const char* key) {
  return value[key].is_string() ? value[key].as_string() : "";
}

template <class Texts>
std::vector<std::string> texts_of(const Texts& texts) {
  return {texts.begin(), texts.end()};
}

core::ExperimentPatch patch_of(const v1::EditExperimentRequest& request) {
  core::ExperimentPatch patch{.add_labels = texts_of(request.add_labels()),
                              .remove_labels = texts_of(request.remove_labels())};
  if (request.has_name()) patch.name = request.name();
  if (request.has_description()) patch.description = request.description();
  if (request.has_notes()) patch.notes = request.notes();
  if (request.has_labels()) patch.labels = texts_of(request.labels().labels());
  if (request.has_priority()) patch.priority = request.priority();
  if (request.has_weight()) patch.weight = request.weight();
  if (request.has_max_slots()) patch.max_slots = request.max_slots();
  return patch;
}

}  // namespace

Status change_experiment(const Services& services, const Caller& caller,
                         const v1::ChangeExperimentRequest& request,
                         v1::ChangeExperimentResponse& response) {
  const core::Verb verb = TRY(verb_of(request.verb()));
  const Value reply = TRY(ask(services, core::VerbOrdered{.request = info_of(request, caller),
                                                          .experiment = {request.id()},
                                                          .verb = verb}));
  response.set_state(text_in(reply, "state"));
  response.set_warning(text_in(reply, "warning"));
  if (verb == core::Verb::erase) services.deletion.wake();
  return {};
}

Status change_experiments(const Services& services, const Caller& caller,
                          const v1::ChangeExperimentsRequest& request,
                          v1::ChangeExperimentsResponse& response) {
  const core::Verb verb = TRY(verb_of(request.verb()));
  if (request.ids_size() > change_items_max) {
    return too_many("ids", request.ids_size(), change_items_max);
  }
  core::VerbsOrdered event{.request = info_of(request, caller), .verb = verb};
  for (const std::int64_t id : request.ids()) event.experiments.push_back({id});
  const Value reply = TRY(ask(services, std::move(event)));
  for (const Value& one : reply.as_array()) {
    v1::ChangeResult* result = response.add_results();
    result->set_id(one["id"].as_int());
    result->set_state(text_in(one, "state"));
    result->set_warning(text_in(one, "warning"));
    if (const Value* error = one.find("error")) *result->mutable_error() = item_error(*error);
  }
  if (verb == core::Verb::erase) services.deletion.wake();
  return {};
}

Status edit_experiment(const Services& services, const Caller& caller,
                       const v1::EditExperimentRequest& request) {
  return ask(services, core::ExperimentEdited{.request = info_of(request, caller),
                                              .experiment = {request.id()},
                                              .patch = patch_of(request)})
      .status();
}

Status continue_experiment(const Services& services, const Caller& caller,
                           const v1::ContinueExperimentRequest& request,
                           v1::ContinueExperimentResponse& response) {
  core::ExperimentContinued event{.request = info_of(request, caller),
                                  .experiment = {request.id()},
                                  .overrides = TRY(parse_overrides(request.overrides()))};
  for (const std::int64_t id : request.trial_ids()) event.trials.push_back({id});
  const Value reply = TRY(ask(services, std::move(event)));
  for (const Value& id : reply["trials"].as_array()) response.add_trial_ids(id.as_int());
  for (const Value& warning : reply["warnings"].as_array()) {
    response.add_warnings(warning.as_string());
  }
  return {};
}

}  // namespace dt::master
