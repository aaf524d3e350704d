#include "sim/rank.h"

#include <algorithm>
#include <limits>

#include "sim/shim_process.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

constexpr Duration socket_delay{1};
constexpr Duration reap_delay{5};  // longer: a rank's words are read before its end
constexpr Duration drain_most{60'000};

double quality_of(const core::Assignment& assignment) {
  const Value& lr = assignment.hparams["lr"];
  return lr.is_number() ? static_cast<double>(static_cast<int>(lr.as_double() * 1000)) / 1000 : 0.5;
}

}  // namespace

Rank::Rank(World& world, Node& node, std::weak_ptr<Shim> shim, AllocationId allocation,
           const core::Assignment& assignment, int number)
    : world_(world),
      node_(node),
      shim_(std::move(shim)),
      allocation_(allocation),
      number_(number),
      size_(assignment.size),
      quality_(quality_of(assignment)),
      program_(world.people.program(assignment.config["name"].as_string())),
      step_(assignment.checkpoint ? assignment.checkpoint->step : 0) {
  const auto local = static_cast<std::size_t>(number - assignment.first_rank);
  slot_ = local < assignment.slot_ids.size() ? assignment.slot_ids[local] : "";
  draw_fate();
}

void Rank::draw_fate() {
  const auto is_drawn = [&](int percent) { return percent > 0 && world_.dice.chance(percent); };
  fate_step_ = step_ + world_.dice.between(1, program_.steps);
  if (is_drawn(program_.crash_percent)) {
    fate_ = Fate::crashes;
  } else if (is_drawn(program_.quits_percent)) {
    fate_ = Fate::quits;
  } else if (number_ == 0 && is_drawn(program_.invalid_percent)) {
    fate_ = Fate::invalid;
    fate_step_ = step_ + 1;
  }
}

void Rank::begin() {
  world_.queue.after(Duration(world_.dice.between(20, 500)), [this, self = shared_from_this()] {
    if (!alive_) return;
    const auto shim = shim_.lock();
    if (shim && !program_.mute) {
      Value hello = Value::Object{};
      if (step_ > 0) hello.set("start_step", step_);
      shim->hear(core::shim::RankConnected{number_, std::move(hello)});
    }
    plan_step();
  });
}

void Rank::plan_step() {
  const auto least = program_.step_time.count() / 2;
  const Duration pause = std::exchange(pause_, Duration(0));
  const Duration time(world_.dice.between(least, program_.step_time.count()));
  world_.queue.after(time + pause, [this, self = shared_from_this()] {
    if (!alive_ || leaving_with_ >= 0) return;
    is_hanging() ? plan_step() : step();
  });
}

void Rank::step() {
  if (stopped_) return leave(0);
  if (preempted_) {
    if (number_ == 0) checkpoint(true);
    return leave(75);
  }
  if (step_ >= program_.steps) return leave(0);
  ++step_;
  if (fate_ != Fate::none && step_ >= fate_step_) return meet_fate();
  const bool last = step_ >= program_.steps;
  report(false);
  if (number_ == 0 && (last || step_ % program_.validate_every == 0)) report(true);
  if (program_.talkative) talk();
  const bool writes = program_.sharded || number_ == 0;
  if (writes && step_ % program_.checkpoint_every == 0) checkpoint(false);
  if (last) return leave(0);
  plan_step();
}

void Rank::meet_fate() {
  switch (fate_) {
    case Fate::crashes: return die(1, 0);
    case Fate::quits: return leave(75);
    case Fate::invalid: return leave(78);
    case Fate::none: return;
  }
}

// A value tells its origin: the coarse part is the trial's, the fine part the attempt's.
Value Rank::metric_of(bool validation) {
  const bool nan =
      validation && program_.nan_percent > 0 && world_.dice.chance(program_.nan_percent);
  if (nan) return Value(std::numeric_limits<double>::quiet_NaN());
  return Value(quality_ + 1.0 / static_cast<double>(step_) +
               static_cast<double>(allocation_.number) * 1e-7 + static_cast<double>(step_) * 1e-12);
}

void Rank::report(bool validation) {
  const char* name = program_.lacks_metric && validation ? "other" : "loss";
  say(core::RecordKind::metrics,
      Value::Object{{"group", validation ? "validation" : "training"},
                    {"step", step_},
                    {"values", Value::Object{{name, metric_of(validation)}, {"batches", step_}}}});
}

void Rank::talk() {
  if (const auto shim = shim_.lock()) {
    shim->hear(core::shim::RankPrinted{number_, "stdout", "a line"});
  }
  const double fraction = static_cast<double>(step_) / static_cast<double>(program_.steps);
  say(core::RecordKind::progress, Value::Object{{"fraction", fraction}});
}

void Rank::checkpoint(bool at_preempt) {
  const bool sharded = program_.sharded && !at_preempt;
  const int part = sharded ? number_ : 0;
  const std::string id = cat("a", allocation_, at_preempt ? "p" : "s", step_);
  Value file = Value::Object{{"path", cat("part", part)}, {"bytes", 100 + step_}, {"sha256", id}};
  say(core::RecordKind::checkpoint, Value::Object{{"id", id},
                                                  {"step", step_},
                                                  {"part", part},
                                                  {"parts", sharded ? size_ : 1},
                                                  {"files", Value::Array{std::move(file)}}});
}

void Rank::say(core::RecordKind kind, Value body) {
  if (program_.mute) return;
  ++last_seq_;
  world_.checkers.said({allocation_, number_}, last_seq_, kind, body);
  auto shared = std::make_shared<const Value>(std::move(body));
  unacknowledged_.push_back({last_seq_, kind, shared});
  deliver(last_seq_, kind, std::move(shared));
}

void Rank::deliver(std::int64_t rank_seq, core::RecordKind kind,
                   std::shared_ptr<const Value> body) {
  world_.queue.after(socket_delay,
                     [shim = shim_, number = number_, rank_seq, kind, body = std::move(body)] {
                       if (const auto keeper = shim.lock()) {
                         keeper->hear(core::shim::RankSaid{number, rank_seq, kind, *body});
                       }
                     });
}

void Rank::reconnect() {
  if (!alive_ || program_.mute) return;
  for (const Said& said : unacknowledged_) deliver(said.rank_seq, said.kind, said.body);
}

void Rank::acknowledged(std::int64_t rank_seq) {
  while (!unacknowledged_.empty() && unacknowledged_.front().rank_seq <= rank_seq) {
    unacknowledged_.pop_front();
  }
  if (alive_ && leaving_with_ >= 0 && unacknowledged_.empty()) die(leaving_with_, 0);
}

void Rank::leave(int code) {
  leaving_with_ = code;
  if (unacknowledged_.empty()) return die(code, 0);
  world_.queue.after(drain_most, [this, self = shared_from_this()] {
    if (alive_) die(leaving_with_, 0);
  });
}

void Rank::told_preempt() { preempted_ = !program_.deaf; }
void Rank::told_stop() { stopped_ = true; }

bool Rank::is_hanging() const { return world_.queue.now() < hangs_until_; }

void Rank::hang(Time until) {
  if (!alive_ || is_hanging()) return;
  hangs_until_ = until;
  world_.queue.at(until, [this, self = shared_from_this()] {
    if (const auto death = std::exchange(death_that_waits_, std::nullopt)) {
      die(death->first, death->second);
    }
  });
}

void Rank::lose_power() {
  hangs_until_ = Time::min();
  die(128 + core::shim::signal_kill, core::shim::signal_kill);
}

void Rank::signalled(int signal) {
  if (!alive_) return;
  if (signal == core::shim::signal_terminate && program_.stubborn) return;
  die(128 + signal, signal);
}

void Rank::die(int code, int signal) {
  if (!alive_) return;
  if (is_hanging()) {
    death_that_waits_ = {code, signal};
    return;
  }
  alive_ = false;
  world_.checkers.rank_ended(node_, {allocation_, number_}, code);
  world_.queue.after(reap_delay, [shim = shim_, number = number_, code, signal] {
    if (const auto keeper = shim.lock()) {
      keeper->hear(core::shim::RankEnded{number, code, signal});
    }
  });
}

}  // namespace dt::sim
