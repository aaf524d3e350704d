#include "sim/people.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/world.h"

namespace dt::sim {
namespace {

constexpr Duration patience{8'000};
constexpr int kinds_most = 40;

Value searcher_of(Rng& dice, bool long_search) {
  Value searcher = Value::Object{{"metric", "loss"}, {"smaller_is_better", dice.chance(75)}};
  const auto set = [&](const char* key, Value value) { searcher.set(key, std::move(value)); };
  if (long_search) {  // long enough for snapshots
    set("name", "random");
    set("max_trials", 130);
    set("max_concurrent_trials", 8);
    return searcher;
  }
  if (dice.chance(55)) {
    set("name", "single");
    return searcher;
  }
  constexpr std::array names{"random",        "grid",          "async_halving",
                             "async_halving", "async_halving", "adaptive_asha",
                             "hyperband",     "pbt",           "tpe"};
  const std::string name = names[static_cast<std::size_t>(dice.between(0, names.size() - 1))];
  set("name", name);
  if (name != "pbt") set("max_concurrent_trials", dice.between(0, 3));
  if (name == "grid") return searcher;
  if (name != "pbt") set("max_trials", dice.between(1, name == "random" ? 3 : 5));
  if (name == "random" || name == "tpe") return searcher;
  set("max_time", dice.between(3, 10));
  if (name == "pbt") {
    set("population_size", dice.between(2, 3));
    set("interval", dice.between(2, 4));
    return searcher;
  }
  set("divisor", dice.chance(50) ? Value(2) : Value(3));
  set(name == "async_halving" ? "num_rungs" : "max_rungs", dice.between(1, 3));
  if (name != "hyperband" && dice.chance(40)) set("promote", true);
  return searcher;
}

Value space_of(Rng& dice, const Value& searcher) {
  const auto number = [](const char* type, double low, double high) {
    return Value::Object{{"type", type}, {"minval", low}, {"maxval", high}};
  };
  if (searcher["name"] == Value("grid")) {
    return Value::Object{
        {"layers", Value::Object{{"type", "int"}, {"minval", 1}, {"maxval", 4}, {"count", 2}}},
        {"kind",
         Value::Object{{"type", "categorical"}, {"vals", Value::Array{Value("a"), Value("b")}}}}};
  }
  const bool may_be_fixed =
      searcher["name"] == Value("single") || searcher["name"] == Value("random");
  if (may_be_fixed && dice.chance(15)) return Value::Object{{"fixed", 3}};
  Value space = Value::Object{{"lr", number("double", 0, 1)}};
  if (dice.chance(40)) {
    space.set("layers", Value::Object{{"type", "int"}, {"minval", 1}, {"maxval", 5}});
    Value decay = number("log", -4, -1);
    space.set("decay", decay.set("base", 10));
  }
  return space;
}

core::ParsedConfig parsed(const Value& config) {
  const Result<core::ParsedConfig> result = core::parse_config(config, {});
  VERIFY(result.ok(), result.status().text());
  return *result;
}

}  // namespace

const Program& People::program(const std::string& experiment) const {
  const Job& job = jobs_[static_cast<std::size_t>(job_of_name_.at(experiment))];
  return kinds_[static_cast<std::size_t>(job.kind)].program;
}

const Program& People::program_of(const core::Assignment& assignment) const {
  return program(assignment.config["name"].as_string());
}

// What the scheduler can ever place: within a node, or whole nodes that are alike.
Value People::draw_resources() {
  Rng& dice = world_.dice;
  const auto& nodes = world_.options.nodes;
  const NodeShape& like = nodes[static_cast<std::size_t>(dice.between(0, std::ssize(nodes) - 1))];
  const auto alike = std::count_if(nodes.begin(), nodes.end(), [&](const NodeShape& node) {
    return node.pool == like.pool && node.slots == like.slots;
  });
  std::int64_t slots = dice.chance(60) ? 1 : dice.between(1, like.slots);
  if (dice.chance(12)) slots = like.slots * dice.between(1, std::min<std::int64_t>(alike, 3));
  if (dice.chance(8)) slots = 0;
  Value resources = Value::Object{{"slots_per_trial", slots}, {"resource_pool", like.pool}};
  if (dice.chance(60)) resources.set("priority", dice.between(1, 5) * 10);
  if (dice.chance(30))
    resources.set("max_slots", std::max<std::int64_t>(slots, 1) * dice.between(1, 2));
  if (dice.chance(30)) resources.set("weight", dice.between(1, 4));
  if (slots <= like.slots && dice.chance(30)) resources.set("is_single_node", true);
  return resources;
}

People::Kind People::draw_kind(bool long_search) {
  Rng& dice = world_.dice;
  const Value searcher = searcher_of(dice, long_search);
  Kind kind{.program = draw_program(dice), .config = Value::Object{}};
  if (long_search) {
    kind.program.steps = 2;
    kind.program.step_time = Duration(1'500);
    kind.program.validate_every = 1;
    kind.program.invalid_percent = kind.program.crash_percent = 0;
  }
  if (searcher["name"] != Value("single")) kind.program.mute = false;
  Value resources = long_search ? Value::Object{{"resource_pool", world_.options.nodes[0].pool}}
                                : draw_resources();
  kind.config.set("entrypoint", "run");
  kind.config.set("hyperparameters", space_of(dice, searcher));
  kind.config.set("searcher", searcher);
  kind.config.set("max_restarts", dice.between(0, 3));
  kind.config.set("preemption_timeout", dice.between(2, 40));
  kind.config.set("resources", std::move(resources));
  return kind;
}

void People::begin() {
  const int jobs = world_.options.scale.jobs;
  const int kinds = std::min(jobs, kinds_most);
  for (int i = 0; i < kinds; ++i) kinds_.push_back(draw_kind(i == 0 && jobs > 20));
  for (int number = 0; number < jobs; ++number) add_job(number, kinds);
  for (int i = 0; i < 1 + jobs / 100; ++i) {
    const Duration when(world_.dice.between(1'000, world_.options.scale.storm.count()));
    world_.queue.after(when, [this] { talk_nonsense(); });
  }
}

void People::add_job(int number, int kinds) {
  Rng& dice = world_.dice;
  // The first kind is the long search, of which one is enough.
  const int least = std::min(kinds - 1, 1);
  Job job{.kind = number == 0 ? 0 : static_cast<int>(dice.between(least, kinds - 1))};
  job.paused = dice.chance(8);
  if (number > 0 && dice.chance(10)) {
    job.fork_of = static_cast<int>(dice.between(0, number - 1));
    job.kind = std::max(least, jobs_[static_cast<std::size_t>(*job.fork_of)].kind);
  }
  Value config = kinds_[static_cast<std::size_t>(job.kind)].config;
  const std::string name = cat("e", number);
  config.set("name", name);
  config.set("reproducibility", Value::Object{{"experiment_seed", number + 1}});
  job.config = parsed(config);
  jobs_.push_back(std::move(job));
  job_of_name_[name] = number;
  const Duration when(dice.between(0, world_.options.scale.storm.count() * 3 / 4));
  world_.queue.after(when, [this, number] { submit(number); });
  if (dice.chance(35)) plan_verbs(number, when);
}

void People::plan_verbs(int number, Duration when) {
  Rng& dice = world_.dice;
  for (std::int64_t i = dice.between(1, 4); i > 0; --i) {
    const auto verb = static_cast<core::Verb>(dice.between(0, dice.chance(35) ? 3 : 1));
    const Duration later = when + Duration(dice.between(500, 300'000));
    world_.queue.after(later, [this, number, verb] { order(number, verb); });
  }
}

void People::talk_nonsense() {
  Rng& dice = world_.dice;
  const auto verb = static_cast<core::Verb>(dice.between(0, 3));
  send({.ask = Ask::verb, .verb = verb, .experiment = {1'000'000}, .nonsense = true});
}

bool People::has_submitted_all() const { return submitted_ == static_cast<int>(jobs_.size()); }

void People::calm_down() {
  if (!has_answers()) return;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const auto row = world_.database.rows().experiments.find(jobs_[i].experiment);
    if (row == world_.database.rows().experiments.end()) continue;
    const bool paused = row->second.state == core::ExperimentState::paused;
    if (paused) order(static_cast<int>(i), core::Verb::activate);
  }
}

void People::submit(int number) { send({.ask = Ask::submit, .job = number}); }

void People::order(int number, core::Verb verb) {
  const ExperimentId id = jobs_[static_cast<std::size_t>(number)].experiment;
  if (!id) return;  // its submit is not answered yet
  send({.ask = Ask::verb, .job = number, .verb = verb, .experiment = id});
}

void People::forget_agent(const AgentId& agent) { send({.ask = Ask::forget, .agent = agent}); }

void People::send(Request request) {
  request.id = cat("request ", requests_.size());
  requests_.push_back(std::move(request));
  ++unanswered_;
  ask(requests_.size() - 1);
}

core::MasterEvent People::event_of(const Request& request, core::ReplyToken token) const {
  const core::RequestInfo info{
      .request_id = request.id, .user = "ada", .digest = request.id, .token = token};
  if (request.ask == Ask::verb) return core::VerbOrdered{info, request.experiment, request.verb};
  if (request.ask == Ask::forget) return core::AgentForgotten{info, request.agent};
  const Job& job = jobs_[static_cast<std::size_t>(request.job)];
  core::ExperimentSubmitted event{.request = info, .config = job.config, .paused = job.paused};
  if (job.fork_of) event.forked_from = jobs_[static_cast<std::size_t>(*job.fork_of)].experiment;
  return event;
}

void People::ask(std::size_t request) {
  world_.network.call(
      world_.network.people(),
      [this, request](const Network::Reply& reply) {
        if (!world_.master.is_up()) return;
        world_.master.ask(
            [&](core::ReplyToken token) { return event_of(requests_[request], token); },
            [this, request, reply](const Result<Value>& result) {
              world_.checkers.replied(requests_[request], result);
              world_.network.answer(reply, [this, request, result] { heard(request, result); });
            });
      },
      [this, request] { ask(request); });
}

void People::heard(std::size_t index, const Result<Value>& result) {
  Request& request = requests_[index];
  if (!result.ok() && result.status().code() == Code::unavailable) {
    return world_.queue.after(patience, [this, index] { ask(index); });
  }
  request.answered = true;
  request.accepted = result.ok();
  --unanswered_;
  if (request.ask == Ask::submit) {
    if (!result.ok()) {  // not all agents had joined yet
      return world_.queue.after(patience, [this, job = request.job] { submit(job); });
    }
    jobs_[static_cast<std::size_t>(request.job)].experiment = {(*result)["id"].as_int()};
    request.experiment = {(*result)["id"].as_int()};
    ++submitted_;
  }
  if (result.ok()) world_.checkers.answered(request);
}

}  // namespace dt::sim
