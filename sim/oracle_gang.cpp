// The oracle's rules in words about gangs: when all meet (rendezvous) and how a preemption reaches
// them. Each is played with the master's brain and two nodes: "watch" is a node's link, "start" its
// word that it is ready, and what a watcher gets is what the wanted set says.
#include <algorithm>
#include <array>

#include "core/master/master.h"
#include "formats/yaml.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

using core::AllocationPhase;
using core::Order;

constexpr Duration preempt_timeout{60'000};

core::ParsedConfig gang_of_two() {
  const Result<YamlDocument> yaml = parse_yaml(
      "entrypoint: run\nsearcher: {name: single, metric: loss}\n"
      "resources: {slots_per_trial: 2}\npreemption_timeout: 60\n");
  return core::parse_config(yaml->value, {}).value();
}

// One trial of two ranks on two nodes; it is prepared when the constructor is done.
class Gang {
 public:
  Gang() : master_({}) {
    perform(master_.recover(now_, {.cluster = {.cluster_id = "oracle"}}));
    for (int node : {0, 1}) watch(node);
    step(core::ExperimentSubmitted{.config = gang_of_two()});
  }

  void watch(int node) {
    Node& it = nodes_[static_cast<std::size_t>(node)];
    it.link = ++last_link_;
    it.heartbeats = 0;
    it.order.reset();
    core::AgentHello hello{.agent = id_of(node),
                           .machine_id = id_of(node).value,
                           .boot_id = "b",
                           .name = id_of(node).value,
                           .address = "10.0.0.1",
                           .pool = "default",
                           .slots = {{.id = "cpu0"}}};
    if (it.holds) hello.allocations = {status_of(it)};
    step(core::AgentJoined{.hello = hello, .link = it.link});
  }

  void unwatch(int node) {
    Node& it = nodes_[static_cast<std::size_t>(node)];
    step(core::AgentDisconnected{.agent = id_of(node), .link = it.link});
    it.link = 0;
  }

  void reach(int node, AllocationPhase phase) {
    Node& it = nodes_[static_cast<std::size_t>(node)];
    it.phase = phase;
    if (it.link == 0) return;
    step(core::AgentSpoke{.heartbeat = {.agent = id_of(node),
                                        .session = it.session,
                                        .number = ++it.heartbeats,
                                        .allocations = {status_of(it)}},
                          .link = it.link});
  }

  void pause() { step(core::VerbOrdered{.experiment = {1}, .verb = core::Verb::pause}); }
  void let_pass(Duration time) {
    now_ += time;
    step(core::TimerFired{});
  }

  std::optional<Order> told(int node) const { return nodes_[static_cast<std::size_t>(node)].order; }
  std::size_t addresses(int node) const { return nodes_[static_cast<std::size_t>(node)].addresses; }

 private:
  struct Node {
    std::int64_t link = 0, session = 0, heartbeats = 0;
    bool holds = false;
    AllocationPhase phase = AllocationPhase::preparing;
    std::optional<Order> order;  // heard on this link
    std::size_t addresses = 0;
  };

  static AgentId id_of(int node) { return {cat("node", node)}; }
  static core::AllocationStatus status_of(const Node& node) {
    return {.allocation = {1, 1}, .phase = node.phase, .address = "10.0.0.1", .port = 4000};
  }

  void step(const core::MasterEvent& event) { perform(master_.step(now_, event)); }

  void perform(const core::Effects& effects) {
    for (const core::MasterAction& action : effects.actions) {
      const auto* send = std::get_if<core::SendAnswer>(&action);
      if (send == nullptr) continue;
      for (Node& node : nodes_) {
        if (node.link == send->link) hear(node, send->answer);
      }
    }
  }

  static void hear(Node& node, const core::Answer& answer) {
    node.session = answer.session;
    for (const core::Wanted& wanted : answer.wanted) {
      node.holds = true;
      node.order = wanted.order;
      if (wanted.table) node.addresses = wanted.table->ranks.size();
    }
  }

  Time now_ = from_ms(1'000'000);
  core::Master master_;
  std::array<Node, 2> nodes_;
  std::int64_t last_link_ = 0;
};

Verdict play_meeting(const std::array<int, 4>& order) {
  Gang gang;
  for (int node : {0, 1}) gang.unwatch(node);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int node = order[i] % 2;
    if (order[i] < 2) {
      gang.watch(node);
    } else {
      gang.reach(node, AllocationPhase::ready);
    }
    const bool last = i + 1 == order.size();
    for (int each : {0, 1}) {
      const bool started = gang.told(each) == Order::start;
      if (started != last) return cat("after ", i + 1, " steps node ", each, " is not right");
      if (last && gang.addresses(each) != 2) return cat("node ", each, " got no two addresses");
    }
  }
  return std::nullopt;
}

Verdict run_rendezvous(const Value&) {
  std::array<int, 4> order = {0, 1, 2, 3};  // watch 0, watch 1, ready 0, ready 1
  do {
    if (Verdict wrong = play_meeting(order)) return wrong;
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

void run_both(Gang& gang) {
  for (const AllocationPhase phase : {AllocationPhase::ready, AllocationPhase::running}) {
    for (int node : {0, 1}) gang.reach(node, phase);
  }
}

Verdict expect_order(const Gang& gang, const char* when, Order expected) {
  for (int node : {0, 1}) {
    if (gang.told(node) != expected) return cat(when, ": node ", node, " heard something else");
  }
  return std::nullopt;
}

Verdict run_signal(const Value& test_case) {
  Gang gang;
  run_both(gang);
  if (Verdict wrong = expect_order(gang, "before", Order::run)) return wrong;
  gang.pause();
  if (Verdict wrong = expect_order(gang, "on preempt", Order::preempt)) return wrong;
  for (int node : {0, 1}) {
    gang.unwatch(node);
    gang.watch(node);
  }
  if (Verdict wrong = expect_order(gang, "connecting after", Order::preempt)) return wrong;
  const bool with_deadline = test_case["rule"].as_string().find("deadline") != std::string::npos;
  if (!with_deadline) return std::nullopt;
  gang.let_pass(preempt_timeout - Duration(1));
  if (Verdict wrong = expect_order(gang, "before the deadline", Order::preempt)) return wrong;
  gang.let_pass(Duration(1));
  return expect_order(gang, "at the deadline", Order::kill);
}

std::function<std::optional<std::string>(const Value&)> only_rules_with(
    std::vector<std::string> words, const char* reason) {
  return [words = std::move(words), reason](const Value& test_case) -> std::optional<std::string> {
    const Value& rule = test_case["rule"];
    for (const std::string& word : words) {
      if (rule.is_string() && rule.as_string().find(word) != std::string::npos) return std::nullopt;
    }
    return reason;
  };
}

}  // namespace

std::vector<OracleSection> gang_sections() {
  return {
      {"rendezvous", run_rendezvous,
       only_rules_with(
           {"all 24 orders"},
           "there are no watchers to refuse or to warn: the wanted set says it all, and "
           "a gang that does not meet in time is released")},
      {"preemption_signal", run_signal,
       only_rules_with({"before preempt", "deadline"}, "of the rank's library, not of the master")},
  };
}

}  // namespace dt::sim
