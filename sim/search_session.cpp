#include "sim/search_session.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.h"
#include "base/overload.h"
#include "core/search/snapshot.h"
#include "formats/json.h"

namespace dt::sim {
namespace {

using core::CreateTrial;
using core::ExitReason;
using core::ResumeTrial;
using core::SearchTrial;

constexpr std::array reasons{"completed", "errored", "invalid_hp", "user_cancelled"};
constexpr double step_limit = 0x1p63;

Result<ExitReason> reason_in(const Value& request) {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (request["reason"] == Value(reasons[i])) return static_cast<ExitReason>(i);
  }
  return invalid_argument("reason must be completed, errored, invalid_hp or user_cancelled, not ",
                          to_json(request["reason"]));
}

Result<std::int64_t> step_in(const Value& request) {
  const Value& step = request["step"];
  if (step.is_int()) return step.as_int();
  if (step.is_double() && std::abs(step.as_double()) < step_limit) {
    return static_cast<std::int64_t>(step.as_double());
  }
  return invalid_argument("step must be an integer, not ", to_json(step));
}

Value create_value(const CreateTrial& create) {
  return Value::Object{{"trial", create.trial},
                       {"request_id", create.request_id},
                       {"trial_seed", std::int64_t{create.trial_seed}},
                       {"hparams", create.hparams},
                       {"parent", create.parent ? Value(*create.parent) : Value()}};
}

bool is_proposal(const Value& op) {
  const std::array proposals{"create", "stop", "pause", "resume", "finish"};
  return std::any_of(proposals.begin(), proposals.end(),
                     [&](const char* known) { return op == Value(known); });
}

}  // namespace

SearchSession::SearchSession(const core::ExperimentConfig& config, std::uint32_t seed)
    : config_(config.searcher), searcher_(config.searcher, config.hyperparameters, seed) {
  take(searcher_.start());
}

Value SearchSession::answer(const Value& request) {
  const Result<Value> answer = perform(request);
  if (answer.ok()) return *answer;
  return Value::Object{{"error", answer.status().text()}};
}

Result<Value> SearchSession::perform(const Value& request) {
  if (!request.is_object()) {
    return invalid_argument("a request must be a map such as {\"op\":\"ask\"}, not ",
                            request.type_name());
  }
  const Value& op = request["op"];
  if (op == Value("ask")) return ask();
  if (op == Value("report")) return report(request);
  if (op == Value("exit")) return exit(request);
  if (op == Value("snapshot")) return snapshot();
  if (is_proposal(op)) return propose(request);
  return invalid_argument("unknown op ", to_json(op), "; use ask, report, exit or snapshot, and ",
                          "with a custom search create, stop, pause, resume or finish");
}

Value SearchSession::ask() {
  if (jobs_.empty()) return Value::Object{{done_ ? "done" : "wait", true}};
  const Job job = std::move(jobs_.front());
  jobs_.pop_front();
  return std::visit(
      Overload{
          [](const CreateTrial& create) -> Value {
            Value answer = Value::Object{{"trial", create.trial}, {"hparams", create.hparams}};
            if (create.parent) answer.set("from", *create.parent);
            return answer;
          },
          [](const ResumeTrial& resume) -> Value {
            return Value::Object{{"resume", resume.trial}};
          },
      },
      job);
}

Result<SearchTrial> SearchSession::trial_at(const Value& request, const char* key) const {
  const Value& trial = request[key];
  const bool known =
      trial.is_int() && trial.as_int() >= 0 && trial.as_int() < searcher_.trials_requested();
  if (known) return static_cast<SearchTrial>(trial.as_int());
  return invalid_argument("no trial ", to_json(trial), "; there are ", searcher_.trials_requested(),
                          ", from 0");
}

// Of a trial that somebody trains or has trained.
Result<SearchTrial> SearchSession::trial_in(const Value& request) const {
  const SearchTrial number = TRY(trial_at(request, "trial"));
  const bool unasked = std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) {
    const auto* create = std::get_if<CreateTrial>(&job);
    return create != nullptr && create->trial == number;
  });
  if (unasked) return failed_precondition("trial ", number, " was not asked for yet");
  return number;
}

std::string SearchSession::decision(SearchTrial trial) const {
  if (searcher_.is_stopped(trial)) return "stop";
  return searcher_.is_paused(trial) ? "pause" : "continue";
}

Result<Value> SearchSession::report(const Value& request) {
  const SearchTrial trial = TRY(trial_in(request));
  const std::int64_t step = TRY(step_in(request));
  const std::optional<double> value = number_of(request["value"]);
  if (!value) {
    return invalid_argument("value must be a number, \"NaN\", \"Infinity\" or \"-Infinity\", not ",
                            to_json(request["value"]));
  }
  if (searcher_.is_closed(trial) && !searcher_.is_stopped(trial)) {
    return failed_precondition("trial ", trial, " has ended; it cannot report any more");
  }
  take(searcher_.validation_completed({.trial = trial, .metric = *value, .time = step}));
  return Value(Value::Object{{"decision", decision(trial)}});
}

Result<Value> SearchSession::exit(const Value& request) {
  const SearchTrial trial = TRY(trial_in(request));
  const ExitReason reason = TRY(reason_in(request));
  if (searcher_.is_closed(trial) && !searcher_.is_stopped(trial)) {
    return failed_precondition("trial ", trial, " has ended already");
  }
  close(trial, reason);
  return Value(Value::Object{{"ok", true}});
}

Result<core::Proposal> SearchSession::proposal_in(const Value& request) const {
  const std::string& op = request["op"].as_string();
  if (op == "finish") return core::Proposal(core::FinishSearch{});
  if (op == "create") {
    core::ProposeTrial propose{.hparams = request["hparams"]};
    if (!request["from"].is_null()) propose.parent = TRY(trial_at(request, "from"));
    return core::Proposal(std::move(propose));
  }
  const SearchTrial trial = TRY(trial_at(request, "trial"));
  if (op == "stop") return core::Proposal(core::StopTrial{trial});
  if (op == "pause") return core::Proposal(core::PauseTrial{trial});
  return core::Proposal(ResumeTrial{trial});
}

// Answers the number of the trial that was made, where one was.
Result<Value> SearchSession::propose(const Value& request) {
  const core::Proposal proposal = TRY(proposal_in(request));
  const int before = searcher_.trials_requested();
  take(TRY(searcher_.propose(proposal)));
  if (searcher_.trials_requested() > before) return Value(Value::Object{{"trial", before}});
  return Value(Value::Object{{"ok", true}});
}

// A trial that is to stop is over: whoever trains it hears so at its next report.
void SearchSession::stop(SearchTrial trial) {
  std::erase_if(jobs_, [&](const Job& job) {
    return std::visit([&](const auto& one) { return one.trial == trial; }, job);
  });
  unheard_stops_.insert(trial);
}

void SearchSession::close(SearchTrial trial, ExitReason reason) {
  take(searcher_.trial_exited(trial, reason));
}

void SearchSession::take(const core::SearchOperations& operations) {
  for (const core::SearchOperation& operation : operations) {
    std::visit(Overload{
                   [&](const CreateTrial& create) { jobs_.emplace_back(create); },
                   [&](const core::StopTrial& one) { stop(one.trial); },
                   [](const core::PauseTrial&) {},  // its report is answered so
                   [&](const ResumeTrial& resume) { jobs_.emplace_back(resume); },
                   [&](const core::Shutdown&) { done_ = true; },
               },
               operation);
  }
  while (!unheard_stops_.empty()) {
    close(unheard_stops_.extract(unheard_stops_.begin()).value(), ExitReason::completed);
  }
}

Value SearchSession::snapshot() const {
  Value::Array jobs;
  for (const Job& job : jobs_) {
    jobs.push_back(std::visit(Overload{
                                  [](const CreateTrial& create) { return create_value(create); },
                                  [](const ResumeTrial& resume) -> Value {
                                    return Value::Object{{"resume", resume.trial}};
                                  },
                              },
                              job));
  }
  return Value::Object{
      {"done", done_}, {"jobs", std::move(jobs)}, {"searcher", searcher_.snapshot()}};
}

Status SearchSession::restore_jobs(const Value& snapshot) {
  if (!snapshot["jobs"].is_array() || !snapshot["done"].is_bool()) {
    return data_loss("the state must have a list 'jobs' and a bool 'done'");
  }
  jobs_.clear();
  const int last = searcher_.trials_requested() - 1;
  for (const Value& job : snapshot["jobs"].as_array()) {
    if (job.find("resume") != nullptr) {
      jobs_.emplace_back(ResumeTrial{TRY(core::snapshot_int(job, "resume", 0, last))});
      continue;
    }
    CreateTrial create{.trial = TRY(core::snapshot_int(job, "trial", 0, last)),
                       .request_id = TRY(core::snapshot_text(job, "request_id")),
                       .trial_seed = 0,
                       .hparams = job["hparams"]};
    const int seed = TRY(core::snapshot_int(job, "trial_seed"));
    create.trial_seed = static_cast<std::uint32_t>(seed);
    if (!job["parent"].is_null()) create.parent = TRY(core::snapshot_int(job, "parent", 0, last));
    jobs_.emplace_back(std::move(create));
  }
  done_ = snapshot["done"].as_bool();
  return {};
}

Status SearchSession::restore(const Value& snapshot) {
  TRY(searcher_.restore(snapshot["searcher"]));
  return restore_jobs(snapshot);
}

}  // namespace dt::sim
