// The oracle's tables of states: which may follow which, and the sets that rules speak of.
#include <set>

#include "core/experiment/transitions.h"
#include "core/master/agents.h"
#include "core/sched/queue.h"
#include "sim/oracle.h"
#include "sim/oracle_values.h"

namespace dt::sim {
namespace {

constexpr int experiment_states = 12;
constexpr int trial_states = 9;

std::string join(const std::set<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += joined.empty() ? text : " " + text;
  return "[" + joined + "]";
}

std::set<std::string> texts_of(const Value& list) {
  std::set<std::string> texts;
  for (const Value& text : list.as_array()) texts.insert(text.as_string());
  return texts;
}

Verdict compare(const std::string& what, const std::set<std::string>& expected,
                const std::set<std::string>& got) {
  if (expected == got) return std::nullopt;
  return cat(what, ": expected ", join(expected), ", got ", join(got));
}

template <class State>
std::optional<State> state_of(const std::string& text, int states) {
  for (int i = 0; i < states; ++i) {
    if (text == core::to_text(static_cast<State>(i))) return static_cast<State>(i);
  }
  return std::nullopt;
}

template <class State, int states>
Verdict run_transitions(const Value& test_case) {
  const std::string& from_text = test_case["key"].as_string();
  const std::optional<State> from = state_of<State>(from_text, states);
  if (!from) return cat("no state ", from_text);
  std::set<std::string> next;
  for (int i = 0; i < states; ++i) {
    const auto to = static_cast<State>(i);
    if (core::can_become(*from, to)) next.insert(core::to_text(to));
  }
  return compare(from_text, texts_of(test_case["value"]), next);
}

template <class IsMeant>
std::set<std::string> states_that(const IsMeant& is_meant) {
  std::set<std::string> states;
  for (int i = 0; i < experiment_states; ++i) {
    const auto state = static_cast<core::ExperimentState>(i);
    if (is_meant(state)) states.insert(core::to_text(state));
  }
  return states;
}

Verdict run_ends(const Value& expected) {
  std::set<std::string> wanted, got;
  for (const auto& [from, to] : expected.as_object()) wanted.insert(from + ">" + to.as_string());
  for (const std::string& from : states_that([](auto s) { return core::is_stopping(s); })) {
    const auto state = state_of<core::ExperimentState>(from, experiment_states);
    got.insert(cat(from, ">", core::to_text(core::end_of(*state))));
  }
  return compare("ends of stopping states", wanted, got);
}

Verdict run_job_order(const Value& expected) {
  std::string got;
  using State = core::JobInfo::State;
  for (const State state : {State::queued, State::scheduled_backfilled, State::scheduled}) {
    got += cat(core::to_text(state), " ");
  }
  std::string wanted;
  for (const Value& text : expected.as_array()) wanted += text.as_string() + " ";
  if (wanted == got) return std::nullopt;
  return cat("job states: expected ", wanted, ", got ", got);
}

Verdict run_state_set(const Value& test_case) {
  using core::ExperimentState;
  const std::string& name = test_case["key"].as_string();
  const Value& expected = test_case["value"];
  if (name == "stopping_to_terminal") return run_ends(expected);
  if (name == "job_order") return run_job_order(expected);
  if (name == "terminal") {
    return compare(name, texts_of(expected), states_that([](auto s) {
                     return core::is_terminal(s) && !core::is_deleting(s);
                   }));
  }
  if (name == "deleting") {
    return compare(name, texts_of(expected),
                   states_that([](auto s) { return core::is_deleting(s); }));
  }
  const auto runs = [](auto s) { return !core::is_terminal(s) && !core::is_stopping(s); };
  if (name == "running") return compare(name, texts_of(expected), states_that(runs));
  // What the four verbs on a live experiment lead to.
  return compare(name, texts_of(expected), states_that([&](auto s) {
                   return runs(s) || s == ExperimentState::stopping_canceled ||
                          s == ExperimentState::stopping_killed;
                 }));
}

std::optional<std::string> set_of_another_design(const Value& test_case) {
  const std::string& name = test_case["key"].as_string();
  if (name == "checkpoint")
    return "an abandoned checkpoint may still be stored, for later attempts";
  if (name == "allocation_order") return "attempts have states of their own: no images are pulled";
  const std::set<std::string> known = {"manual",   "terminal",  "running",
                                       "deleting", "job_order", "stopping_to_terminal"};
  if (known.contains(name)) return std::nullopt;
  return cat("no set of states is called ", name, " here");
}

core::AgentHello hello_of(int devices, const std::string& pool) {
  core::AgentHello hello{.agent = {"a"}, .pool = pool};
  for (int i = 0; i < devices; ++i) hello.slots.push_back({.id = cat("gpu", i)});
  return hello;
}

// The cases are in words: what differs from the agent that was known.
Verdict run_reconnect(const Value& test_case) {
  const std::string& words = test_case["case"].as_string();
  core::AgentRow known{.id = {"a"}, .pool = "default", .slots = hello_of(4, "").slots};
  std::vector<core::AgentHello> hellos;
  if (words.find("pool") != std::string::npos) {
    hellos = {hello_of(4, "other"), hello_of(4, "")};
  } else if (words.find("same") != std::string::npos) {
    hellos = {hello_of(4, "default")};
  } else {
    hellos = {hello_of(3, "default"), hello_of(5, "default"), hello_of(0, "default")};
  }
  const Value& expected = test_case["error"];
  for (const core::AgentHello& hello : hellos) {
    const std::string got = core::check_unchanged(known, hello).message();
    const bool right =
        expected.is_null() ? got.empty() : got.find(expected.as_string()) != std::string::npos;
    if (!right) return cat(words, ": got \"", got, "\"");
  }
  return std::nullopt;
}

}  // namespace

std::vector<OracleSection> state_sections() {
  return {
      {"experiment_transitions", run_transitions<core::ExperimentState, experiment_states>},
      {"trial_transitions", run_transitions<core::TrialState, trial_states>},
      {"state_sets", run_state_set, set_of_another_design},
      {"agent_reconnect", run_reconnect},
  };
}

}  // namespace dt::sim
