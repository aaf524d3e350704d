#include "tests/unit/core/master/cluster.h"

#include <sstream>
#include <utility>

#include "core/experiment/attempt_end.h"
#include "core/master/ingest.h"
#include "formats/json.h"
#include "formats/yaml.h"

namespace dt::core {
namespace {

std::string number_text(const std::optional<double>& number) {
  return number ? cat(*number) : "none";
}

std::string text_of(const AllocationNode& node) {
  std::string text =
      cat(node.agent, '/', node.first_rank, '/', node.slot_ids.size(), ' ', to_text(node.phase),
          ' ', node.address, ':', node.port, ' ', node.failure, node.infrastructure ? " infra" : "",
          node.released ? " released" : "", node.given_up ? " given up" : "");
  for (const RankExit& exit : node.exits) {
    text +=
        cat(' ', exit.rank, '=', exit.code, '/', exit.signal, was_read(node, exit.rank) ? "r" : "");
  }
  return text;
}

ParsedConfig parsed(const std::string& yaml) {
  const Result<YamlDocument> document = parse_yaml(yaml);
  EXPECT_TRUE(document.ok()) << document.status().message();
  const Result<ParsedConfig> config = parse_config(document->value, {.seed = 7, .name = "test"});
  EXPECT_TRUE(config.ok()) << (config.ok() ? "" : config.status().text());
  return *config;
}

}  // namespace

std::string text_of(Recovered state) {
  std::ostringstream text;
  text << state.cluster.last_experiment << ' ' << state.cluster.last_trial << ' '
       << state.cluster.last_allocation << ' ' << state.cluster.last_session << '\n';
  for (const ExperimentRow& row : state.experiments) {
    text << "experiment " << row.id.value << ' ' << to_text(row.state) << ' ' << row.progress << ' '
         << row.searcher_events << ' ' << row.searcher_done << ' ' << row.best_trial.value << ' '
         << number_text(row.best_metric) << ' ' << row.message << '\n';
  }
  for (const TrialRow& row : state.trials) {
    text << "trial " << row.id.value << ' ' << row.number << ' ' << to_text(row.state) << ' '
         << to_json(row.hparams) << ' ' << row.seed << ' ' << row.attempts << ' ' << row.restarts
         << ' ' << row.stopped_by_searcher << row.exit_told << ' ' << row.latest_checkpoint.value
         << ' ' << row.latest_step << ' ' << number_text(row.latest_metric) << ' '
         << number_text(row.best_metric) << ' ' << row.progress << ' ' << row.ended_ms << ' '
         << row.message << '\n';
  }
  for (const AllocationRow& row : state.allocations) {
    text << "allocation " << to_text(row.id) << ' ' << row.trial.value << ' ' << row.attempt << ' '
         << to_text(row.state) << ' ' << to_text(row.order) << ' ' << row.preempt_deadline_ms << ' '
         << row.resumed_from.value << ' ' << row.outcome;
    for (const AllocationNode& node : row.nodes) text << " [" << text_of(node) << ']';
    text << '\n';
  }
  for (const CheckpointRow& row : state.checkpoints) {
    text << "checkpoint " << row.id.value << ' ' << row.step << ' ' << to_text(row.state) << ' '
         << row.parts_announced.size() << '+' << row.parts_stored.size() << '/' << row.parts
         << '\n';
  }
  for (const AgentRow& row : state.agents) {
    text << "agent " << row.id.value << ' ' << row.boot_id << ' ' << row.session << ' '
         << row.slots.size() << '\n';
  }
  for (const auto& row : state.searcher_snapshots) text << to_json(row.snapshot) << '\n';
  for (const auto& row : state.searcher_events) {
    text << row.experiment.value << '/' << row.number << ' ' << to_json(row.event) << '\n';
  }
  for (const auto& row : state.requests) text << row.request_id << to_json(row.response) << '\n';
  return text.str();
}

ParsedConfig configured(const std::string& searcher, int slots, const std::string& more) {
  return parsed(
      cat("entrypoint: run\nhyperparameters: {lr: {type: double, minval: 0, maxval: 1}}\n",
          "searcher: {metric: loss, ", searcher, "}\nresources: {slots_per_trial: ", slots, "}\n",
          more));
}

ParsedConfig random_search(int trials, int slots, const std::string& more) {
  return configured(cat("name: random, max_trials: ", trials), slots, more);
}

ParsedConfig single(int slots, const std::string& more) {
  return configured("name: single", slots, more);
}

ParsedConfig grid(int trials, const std::string& more) {
  return parsed(cat("entrypoint: run\n",
                    "hyperparameters: {lr: {type: double, minval: 0, maxval: 1, count: ", trials,
                    "}}\nsearcher: {metric: loss, name: grid}\n",
                    "resources: {slots_per_trial: 1}\n", more));
}

ParsedConfig halving(int trials, int concurrent) {
  return configured(cat("name: async_halving, num_rungs: 3, divisor: 2, max_time: 4, max_trials: ",
                        trials, ", max_concurrent_trials: ", concurrent),
                    1);
}

Cluster::Cluster(const std::string& shape, MasterOptions options) : options_(std::move(options)) {
  master = std::make_unique<Master>(options_);
  Effects effects = master->recover(now, rows.load(now));
  rows.write(effects.writes);
  perform(effects.actions);
  std::istringstream words(shape);
  std::string word;
  while (words >> word) {
    const int count = std::stoi(word.substr(0, word.find('x')));
    const int slots = std::stoi(word.substr(word.find('x') + 1));
    for (int i = 0; i < count; ++i) {
      const std::string id = cat('n', agents_.size() + 1);
      FakeAgent agent{.hello = {.agent = {id},
                                .machine_id = cat("machine of ", id),
                                .boot_id = "boot 1",
                                .name = id,
                                .address = cat(id, ".example"),
                                .pool = "default"}};
      for (int slot = 0; slot < slots; ++slot)
        agent.hello.slots.push_back({.id = cat("cpu", slot)});
      agents_.emplace(AgentId{id}, std::move(agent));
      join(id);
    }
  }
}

void Cluster::step(const MasterEvent& event) {
  const std::vector<ExperimentId> missing = master->missing(event);
  if (!missing.empty()) master->recall(now, rows.load_ended(missing));
  Effects effects = master->step(now, event);
  rows.write(effects.writes);
  check();
  perform(effects.actions);
  if (std::exchange(busy_, true)) return;  // agents act after the master, one after the other
  while (!to_obey_.empty()) {
    const AgentId id = to_obey_.front();
    to_obey_.erase(to_obey_.begin());
    obey(agents_.at(id));
  }
  busy_ = false;
}

void Cluster::check() const {
  ASSERT_EQ(text_of(rows.load(now)), text_of(master->dump())) << "what was written is not what is";
  std::map<std::string, std::string> holders;  // P2
  for (const auto& [id, row] : rows.allocations) {
    for (const AllocationNode& node : row.nodes) {
      if (node.released) continue;
      for (const std::string& slot : node.slot_ids) {
        const bool fresh = holders.emplace(cat(node.agent, '/', slot), to_text(id)).second;
        ASSERT_TRUE(fresh) << "slot " << slot << " of " << node.agent.value << " is held twice";
      }
    }
  }
}

void Cluster::perform(const std::vector<MasterAction>& actions) {
  for (const MasterAction& action : actions) {
    std::visit(Overload{
                   [&](const Reply& reply) {
                     last_reply = reply.result.ok() ? to_json(*reply.result)
                                                    : cat(to_text(reply.result.status().code()),
                                                          ": ", reply.result.status().text());
                   },
                   [&](const SendAnswer& send) {
                     FakeAgent& agent = agents_.at(send.agent);
                     if (agent.link != send.link) return;
                     agent.session = send.answer.session;
                     agent.wanted = send.answer.wanted;
                     to_obey_.push_back(send.agent);
                   },
                   [&](const RefuseAgent& refuse) {
                     for (auto& [id, agent] : agents_) {
                       if (agent.link != refuse.link) continue;
                       agent.refusal = refuse.reason.text();
                       agent.link = 0;
                     }
                   },
                   [&](const WakeMasterAt& wake) { wake_at_ = std::min(wake_at_, wake.time); },
               },
               action);
  }
}

void Cluster::obey(FakeAgent& agent) {
  if (!agent.obeys || agent.link == 0) return;
  const auto before = agent.held;
  std::map<AllocationId, Order> orders;
  for (const Wanted& wanted : agent.wanted) orders[wanted.allocation] = wanted.order;
  for (const Wanted& wanted : agent.wanted) follow(agent, wanted);
  for (auto& [id, status] : agent.held) {
    if (!orders.contains(id)) end_ranks(agent, id, 137, 9, Order::kill);
  }
  std::erase_if(agent.held, [&](const auto& entry) {
    return !orders.contains(entry.first) && entry.second.phase >= AllocationPhase::ended;
  });
  if (agent.held != before) beat(agent.hello.agent.value);
}

void Cluster::follow(FakeAgent& agent, const Wanted& wanted) {
  const AllocationId id = wanted.allocation;
  if (!agent.held.contains(id) && wanted.order == Order::prepare) {
    agent.assignments[id] = *wanted.assignment;
    agent.held[id] = {.allocation = id,
                      .phase = AllocationPhase::ready,
                      .address = cat("10.0.0.", agent.hello.agent.value),
                      .port = 4000};
    return;
  }
  if (!agent.held.contains(id)) {
    agent.held[id] = {.allocation = id,
                      .phase = AllocationPhase::lost,
                      .failure = "the agent holds nothing of it",
                      .infrastructure = true};
    return;
  }
  AllocationStatus& status = agent.held[id];
  if (wanted.order == Order::start && status.phase == AllocationPhase::ready) {
    status.phase = AllocationPhase::running;
  }
  if (wanted.order == Order::preempt) end_ranks(agent, id, 75, 0, Order::preempt);
  if (wanted.order == Order::stop) end_ranks(agent, id, 0, 0, Order::stop);
  if (wanted.order == Order::kill) end_ranks(agent, id, 137, 9, Order::kill);
}

void Cluster::end_ranks(FakeAgent& agent, AllocationId id, int code, int signal, Order ordered) {
  AllocationStatus& status = agent.held.at(id);
  if (status.phase >= AllocationPhase::ended) return;
  const bool ran = status.phase == AllocationPhase::running;
  status.phase = AllocationPhase::ended;
  if (!ran) {
    status.failure = cat(to_text(ordered), " before its ranks started");
    status.infrastructure = true;
    return;
  }
  const Assignment& assignment = agent.assignments.at(id);
  const int ranks = std::max(1, static_cast<int>(assignment.slot_ids.size()));
  for (int rank = assignment.first_rank; rank < assignment.first_rank + ranks; ++rank) {
    RankExit exit{.rank = rank, .code = code, .signal = signal, .ordered = ordered};
    bool known = false;
    for (const RankExit& one : status.exits) known = known || one.rank == rank;
    if (known) continue;
    status.exits.push_back(exit);
    put_in_inbox(
        {.allocation = id,
         .stream = rank,
         .kind = RecordKind::exit,
         .body = Value::Object{{"code", code}, {"signal", signal}, {"ordered", to_text(ordered)}}});
  }
}

void Cluster::put_in_inbox(InboxRow row) {
  row.id = {++last_inbox_};
  row.trial = rows.allocations.at(row.allocation).trial;
  if (row.seq == 0) row.seq = ++seqs_[{row.allocation, row.stream}];
  rows.inbox.emplace(row.id, row);
  step(InboxArrived{{row}});
}

const AllocationRow& Cluster::attempt(int trial) const {
  const AllocationRow* last = nullptr;
  for (const auto& [id, row] : rows.allocations) {
    if (row.trial.value == trial) last = &row;
  }
  VERIFY(last != nullptr, "trial ", trial, " never had an attempt");
  return *last;
}

int Cluster::node_of(int trial, int rank) const {
  const AllocationRow& row = attempt(trial);
  for (const AllocationNode& node : row.nodes) {
    if (rank >= node.first_rank && rank < node.first_rank + rank_count(node)) return node.node_rank;
  }
  return 0;
}

FakeAgent& Cluster::node_agent(int trial, int node) {
  return agents_.at(attempt(trial).nodes.at(static_cast<std::size_t>(node)).agent);
}

std::string Cluster::submit(const ParsedConfig& config, const std::string& id, bool paused) {
  step(ExperimentSubmitted{
      .request = {.request_id = id, .user = "ann", .digest = config.config.name, .token = 1},
      .config = config,
      .paused = paused});
  return last_reply;
}

std::string Cluster::order(int experiment, Verb verb, const std::string& id) {
  step(
      VerbOrdered{.request = {.request_id = id, .user = "ann", .digest = to_text(verb), .token = 1},
                  .experiment = {experiment},
                  .verb = verb});
  return last_reply;
}

std::string Cluster::forget(const std::string& id) {
  step(AgentForgotten{.request = {.token = 1}, .agent = {id}});
  return last_reply;
}

void Cluster::report(int trial, std::int64_t at, const Value& loss) {
  report_values(trial, at, Value::Object{{"loss", loss}});
}

void Cluster::report_values(int trial, std::int64_t at, Value values) {
  put_in_inbox({.allocation = attempt(trial).id,
                .kind = RecordKind::metrics,
                .body = Value::Object{
                    {"group", "validation"}, {"step", at}, {"values", std::move(values)}}});
}

void Cluster::checkpoint(int trial, const std::string& id, std::int64_t at, int part, int parts) {
  checkpoint_of(attempt(trial).id, id, at, part, parts);
}

void Cluster::checkpoint_of(AllocationId allocation, const std::string& id, std::int64_t at,
                            int part, int parts) {
  Value::Object file{{"path", cat("part", part)}, {"bytes", 3}, {"sha256", "abc"}};
  put_in_inbox({.allocation = allocation,
                .stream = parts == 1 ? 0 : part,
                .kind = RecordKind::checkpoint,
                .body = Value::Object{{"id", id},
                                      {"step", at},
                                      {"part", part},
                                      {"parts", parts},
                                      {"files", Value::Array{std::move(file)}}}});
}

void Cluster::upload(int trial, const std::string& id, int part, const std::string& failure) {
  const auto known = rows.checkpoints.find({id});
  const AllocationId allocation =
      known == rows.checkpoints.end() ? attempt(trial).id : known->second.allocation;
  put_in_inbox(part_stored_row(allocation, {trial}, {id}, part, failure));
}

void Cluster::exit_heard(int trial, int rank, int code, int signal) {
  FakeAgent& agent = node_agent(trial, node_of(trial, rank));
  AllocationStatus& status = agent.held.at(attempt(trial).id);
  status.exits.push_back({.rank = rank, .code = code, .signal = signal});
  const Assignment& assignment = agent.assignments.at(attempt(trial).id);
  const auto ranks = std::max<std::size_t>(1, assignment.slot_ids.size());
  if (status.exits.size() == ranks) status.phase = AllocationPhase::ended;
  beat(agent.hello.agent.value);
}

void Cluster::exit_read(int trial, int rank) {
  const AllocationRow row = attempt(trial);
  const RankExit* exit = find_exit(row.nodes[static_cast<std::size_t>(node_of(trial, rank))], rank);
  VERIFY(exit != nullptr, "the exit of rank ", rank, " was not heard");
  put_in_inbox(
      {.allocation = row.id,
       .stream = rank,
       .kind = RecordKind::exit,
       .body = Value::Object{
           {"code", exit->code}, {"signal", exit->signal}, {"ordered", to_text(exit->ordered)}}});
}

void Cluster::exit(int trial, int rank, int code, int signal) {
  const AllocationId id = attempt(trial).id;
  const Value body = Value::Object{{"code", code}, {"signal", signal}, {"ordered", "run"}};
  FakeAgent& agent = node_agent(trial, node_of(trial, rank));
  AllocationStatus& status = agent.held.at(id);
  status.exits.push_back({.rank = rank, .code = code, .signal = signal});
  put_in_inbox({.allocation = id, .stream = rank, .kind = RecordKind::exit, .body = body});
  const auto ranks = std::max<std::size_t>(1, agent.assignments.at(id).slot_ids.size());
  const auto held = agent.held.find(id);
  if (held != agent.held.end() && held->second.exits.size() == ranks) {
    held->second.phase = AllocationPhase::ended;
  }
  beat(agent.hello.agent.value);
}

void Cluster::exit_all(int trial, int code) {
  const int size = attempt(trial).size;
  for (int rank = 0; rank < size; ++rank) exit(trial, rank, code);
}

void Cluster::fail(int trial, int node, const std::string& failure, bool infrastructure) {
  FakeAgent& agent = node_agent(trial, node);
  const AllocationId id = attempt(trial).id;
  agent.held[id] = {.allocation = id,
                    .phase = AllocationPhase::ended,
                    .failure = failure,
                    .infrastructure = infrastructure};
  beat(agent.hello.agent.value);
}

void Cluster::lose(int trial, int node) {
  FakeAgent& agent = node_agent(trial, node);
  AllocationStatus& status = agent.held.at(attempt(trial).id);
  status.phase = AllocationPhase::lost;
  status.failure = "its shim died";
  status.infrastructure = true;
  beat(agent.hello.agent.value);
}

void Cluster::join(const std::string& id) {
  FakeAgent& agent = agents_.at({id});
  agent.hello.allocations.clear();
  for (const auto& [allocation, status] : agent.held) agent.hello.allocations.push_back(status);
  for (Slot& slot : agent.hello.slots) {
    slot.fault.clear();
    for (const SlotFault& fault : agent.slot_faults) {
      if (fault.slot == slot.id) slot.fault = fault.reason;
    }
  }
  agent.link = ++last_link_;
  agent.heartbeats = 0;
  step(AgentJoined{.hello = agent.hello, .link = agent.link});
}

void Cluster::cut(const std::string& id) {
  FakeAgent& agent = agents_.at({id});
  const std::int64_t link = std::exchange(agent.link, 0);
  step(AgentDisconnected{.agent = {id}, .link = link});
}

void Cluster::beat(const std::string& id, bool leaving) {
  FakeAgent& agent = agents_.at({id});
  if (agent.link == 0) return;
  Heartbeat heartbeat{
      .agent = {id},
      .session = agent.session,
      .number = ++agent.heartbeats,
      .slot_faults = agent.slot_faults,
      .leaving = leaving};
  for (const auto& [allocation, status] : agent.held) heartbeat.allocations.push_back(status);
  step(AgentSpoke{.heartbeat = std::move(heartbeat), .link = agent.link});
}

void Cluster::reboot(const std::string& id) {
  FakeAgent& agent = agents_.at({id});
  agent.hello.boot_id += "+";
  for (auto& [allocation, status] : agent.held) {
    if (status.phase < AllocationPhase::ended) status.phase = AllocationPhase::lost;
  }
  join(id);
}

void Cluster::wait(Duration duration) {
  const Time end = now + duration;
  while (wake_at_ <= end) {
    now = std::max(now, std::exchange(wake_at_, never));
    step(TimerFired{});
  }
  now = end;
}

void Cluster::restart() {
  master = std::make_unique<Master>(options_);
  wake_at_ = never;
  Effects effects = master->recover(now, rows.load(now));
  rows.write(effects.writes);
  check();
  perform(effects.actions);
  for (auto& [id, agent] : agents_) {
    if (agent.link != 0) join(id.value);
  }
}

std::string Cluster::trials() const {
  std::string text;
  for (const auto& [id, row] : rows.trials) {
    text += cat(text.empty() ? "" : "; ", id, ' ', to_text(row.state));
    for (const auto& [allocation, attempt] : rows.allocations) {
      if (attempt.trial != id || attempt.state == AllocationState::ended) continue;
      text += cat(' ', attempt.state == AllocationState::running ? "runs" : to_text(attempt.state));
      for (const AllocationNode& node : attempt.nodes) {
        if (!node.released) text += cat(' ', node.agent, ':', node.slot_ids.size());
      }
    }
    const std::string waiting = master->why_waiting(id);
    if (!waiting.empty()) text += cat(" (", waiting, ')');
  }
  return text;
}

std::string Cluster::experiments() const {
  std::string text;
  for (const auto& [id, row] : rows.experiments) {
    text += cat(text.empty() ? "" : "; ", id, ' ', to_text(row.state),
                row.message.empty() ? "" : ": ", row.message);
  }
  return text;
}

std::string Cluster::outcomes() const {
  std::string text;
  for (const auto& [id, row] : rows.allocations) {
    text += cat(text.empty() ? "" : "; ", row.trial, '.', row.attempt, ' ',
                row.outcome.empty() ? "-" : row.outcome);
  }
  return text;
}

std::string Cluster::wanted(const std::string& id) const {
  std::string text;
  for (const Wanted& wanted : agents_.at({id}).wanted) {
    text += cat(text.empty() ? "" : "; ", wanted.allocation, ' ', to_text(wanted.order));
  }
  return text;
}

}  // namespace dt::core
