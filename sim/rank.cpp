#include "sim/rank.h"

#include <algorithm>

#include "sim/shim_process.h"
#include "sim/world.h"

namespace dt::sim {
namespace {

constexpr Duration socket_delay{1};
constexpr Duration reap_delay{5};  // longer: a rank's words are read before its end
constexpr Duration drain_most{60'000};

}  // namespace

Rank::Rank(World& world, Node& node, std::weak_ptr<Shim> shim, AllocationId allocation,
           const core::Assignment& assignment, int number)
    : world_(world),
      node_(node),
      shim_(std::move(shim)),
      allocation_(allocation),
      assignment_(assignment),
      number_(number),
      program_(world.people.program(assignment.config["name"].as_string())),
      step_(assignment.checkpoint ? assignment.checkpoint->step : 0) {
  const auto local = static_cast<std::size_t>(number - assignment.first_rank);
  slot_ = local < assignment.slot_ids.size() ? assignment.slot_ids[local] : "";
}

void Rank::begin() {
  const auto self = shared_from_this();
  world_.queue.after(Duration(world_.dice.between(20, 500)), [this, self] {
    if (!alive_) return;
    const auto shim = shim_.lock();
    if (shim && !program_.mute) {
      Value hello = Value::Object{};
      if (step_ > 0) hello.set("start_step", step_);
      shim->hear(core::shim::RankConnected{number_, hello});
    }
    plan_step();
  });
}

void Rank::plan_step() {
  const auto least = program_.step_time.count() / 2;
  const Duration pause = std::exchange(pause_, Duration(0));
  const Duration time(world_.dice.between(least, program_.step_time.count()));
  world_.queue.after(time + pause, [this, self = shared_from_this()] {
    if (alive_ && leaving_with_ < 0) step();
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
  if (world_.dice.chance(program_.crash_percent) && world_.dice.chance(10)) return die(1, 0);
  const bool last = step_ >= program_.steps;
  report(false);
  if (number_ == 0 && (last || step_ % program_.validate_every == 0)) report(true);
  const bool writes = program_.sharded || number_ == 0;
  if (writes && step_ % program_.checkpoint_every == 0) checkpoint(false);
  if (last) return leave(0);
  plan_step();
}

// A value tells its origin: the coarse part is the trial's, the fine part the attempt's.
void Rank::report(bool validation) {
  const Value& lr = assignment_.hparams["lr"];
  const double quality =
      lr.is_number() ? static_cast<double>(static_cast<int>(lr.as_double() * 1000)) / 1000 : 0.5;
  const double loss = quality + 1.0 / static_cast<double>(step_) +
                      static_cast<double>(allocation_.number) * 1e-7 +
                      static_cast<double>(step_) * 1e-11;
  say(core::RecordKind::metrics,
      Value::Object{{"group", validation ? "validation" : "training"},
                    {"step", step_},
                    {"values", Value::Object{{"loss", loss}, {"batches", step_}}}});
}

void Rank::checkpoint(bool at_preempt) {
  const bool sharded = program_.sharded && !at_preempt;
  const std::string id = cat("a", allocation_, at_preempt ? "p" : "s", step_);
  say(core::RecordKind::checkpoint, Value::Object{{"id", id},
                                                  {"step", step_},
                                                  {"part", sharded ? number_ : 0},
                                                  {"parts", sharded ? assignment_.size : 1},
                                                  {"files", Value::Array{}}});
}

void Rank::say(core::RecordKind kind, Value body) {
  if (program_.mute) return;
  ++last_seq_;
  world_.checkers.said({allocation_, number_}, last_seq_, kind, body);
  unacknowledged_.push_back({last_seq_, kind, body});
  deliver(last_seq_, kind, body);
}

void Rank::deliver(std::int64_t rank_seq, core::RecordKind kind, const Value& body) {
  world_.queue.after(socket_delay, [shim = shim_, number = number_, rank_seq, kind, body] {
    if (const auto keeper = shim.lock()) {
      keeper->hear(core::shim::RankSaid{number, rank_seq, kind, body});
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

void Rank::signalled(int signal) {
  if (!alive_) return;
  if (signal == core::shim::signal_terminate && program_.stubborn) return;
  die(128 + signal, signal);
}

void Rank::die(int code, int signal) {
  if (!alive_) return;
  alive_ = false;
  world_.checkers.rank_ended(node_.index(), {allocation_, number_}, code);
  world_.queue.after(reap_delay, [shim = shim_, number = number_, code, signal] {
    if (const auto keeper = shim.lock()) {
      keeper->hear(core::shim::RankEnded{number, code, signal});
    }
  });
}

}  // namespace dt::sim
