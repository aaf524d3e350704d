#include "sim/people.h"

#include <algorithm>
#include <utility>

#include "formats/json.h"
#include "formats/yaml.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

constexpr Duration patience{8'000};

core::ParsedConfig parsed(const std::string& yaml) {
  const Result<YamlDocument> document = parse_yaml(yaml);
  VERIFY(document.ok(), document.status().text());
  const Result<core::ParsedConfig> config = core::parse_config(document->value, {});
  VERIFY(config.ok(), config.status().text(), " in\n", yaml);
  return *config;
}

std::string searcher_text(Rng& dice) {
  const std::int64_t trials = dice.between(2, 7);
  const std::int64_t at_once = dice.between(1, 4);
  switch (dice.between(0, 3)) {
    case 0: return "name: single";
    case 1: return cat("name: random, max_trials: ", trials, ", max_concurrent_trials: ", at_once);
    default:
      return cat("name: async_halving, num_rungs: 3, divisor: 2, max_time: 8, max_trials: ",
                 trials + 2, ", max_concurrent_trials: ", at_once);
  }
}

Program draw_program(Rng& dice, bool may_be_mute) {
  Program program{.steps = dice.between(6, 24),
                  .step_time = Duration(dice.between(500, 6'000)),
                  .validate_every = static_cast<int>(dice.between(1, 2)),
                  .checkpoint_every = static_cast<int>(dice.between(2, 5)),
                  .sharded = dice.chance(30),
                  .mute = may_be_mute && dice.chance(50),
                  .stubborn = dice.chance(20),
                  .deaf = dice.chance(35)};
  if (dice.chance(30)) program.crash_percent = static_cast<int>(dice.between(5, 30));
  return program;
}

// Within a node, or all of two equal nodes: what the scheduler can ever place.
std::int64_t draw_gang(World& world) {
  const auto [first, second] = world.options.slots;
  if (first == second && world.dice.chance(40)) return first + second;
  return world.dice.between(1, std::max(first, second));
}

}  // namespace

void People::begin() {
  const std::int64_t count = world_.dice.between(2, 5);
  for (int number = 0; number < count; ++number) {
    const std::string searcher = searcher_text(world_.dice);
    const std::string name = cat("e", number);
    programs_[name] = draw_program(world_.dice, searcher == "name: single");
    configs_.push_back(parsed(cat("name: ", name, "\nentrypoint: run\n",
                                  "hyperparameters: {lr: {type: double, minval: 0, maxval: 1}}\n",
                                  "searcher: {metric: loss, ", searcher,
                                  "}\nmax_restarts: ", world_.dice.between(0, 3),
                                  "\nresources: {slots_per_trial: ", draw_gang(world_),
                                  "}\nreproducibility: {experiment_seed: ", number + 1, "}\n")));
    const Duration when(world_.dice.between(0, world_.options.storm.count() / 2));
    world_.queue.after(when, [this, number] { submit(number); });
    for (std::int64_t i = world_.dice.between(0, 4); i > 0; --i) {
      const auto verb =
          static_cast<core::Verb>(world_.dice.between(0, world_.dice.chance(12) ? 3 : 1));
      const Duration later =
          when + Duration(world_.dice.between(0, world_.options.storm.count() / 2));
      world_.queue.after(later, [this, number, verb] { order(number, verb); });
    }
  }
}

void People::calm_down() {
  if (!has_answers()) return;
  for (const auto& [number, id] : experiments_) {
    const auto row = world_.database.rows().experiments.find(id);
    const bool paused = row->second.state == core::ExperimentState::paused;
    if (paused) order(number, core::Verb::activate);
  }
}

void People::submit(int number) {
  requests_.push_back({.id = cat("submit ", requests_.size()), .experiment = number});
  ++unanswered_;
  ask(requests_.size() - 1);
}

void People::order(int number, core::Verb verb) {
  if (!experiments_.contains(number)) return;  // its submit is not answered yet
  requests_.push_back({.id = cat("order ", requests_.size()), .experiment = number, .verb = verb});
  ++unanswered_;
  ask(requests_.size() - 1);
}

core::MasterEvent People::event_of(const Request& request, core::ReplyToken token) const {
  const core::RequestInfo info{
      .request_id = request.id, .user = "ada", .digest = request.id, .token = token};
  if (request.verb) {
    return core::VerbOrdered{info, experiments_.at(request.experiment), *request.verb};
  }
  return core::ExperimentSubmitted{
      .request = info, .config = configs_[static_cast<std::size_t>(request.experiment)]};
}

void People::ask(std::size_t request) {
  world_.network.call(
      Network::people,
      [this, request](const auto& reply) {
        if (!world_.master.is_up()) return;
        world_.master.ask(
            [&](core::ReplyToken token) { return event_of(requests_[request], token); },
            [this, request, reply](const Result<Value>& result) {
              world_.checkers.replied(requests_[request].id, result);
              reply([this, request, result] { heard(request, result); });
            });
      },
      [this, request] { ask(request); });
}

void People::heard(std::size_t index, const Result<Value>& result) {
  Request& request = requests_[index];
  if (!result.ok() && result.status().code() == Code::unavailable) {
    return world_.queue.after(patience, [this, index] { ask(index); });
  }
  request.answer = result.ok() ? to_json(*result) : result.status().text();
  --unanswered_;
  world_.trace("people: ", request.id, request.verb ? core::to_text(*request.verb) : "", " -> ",
               request.answer);
  if (result.ok() && !request.verb) {
    experiments_[request.experiment] = {(*result)["id"].as_int()};
  } else if (!request.verb) {  // not all agents had joined yet
    return world_.queue.after(patience, [this, number = request.experiment] { submit(number); });
  }
  if (result.ok()) world_.checkers.acknowledged(request, experiments_.at(request.experiment));
}

}  // namespace dt::sim
