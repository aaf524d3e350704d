#include "shim/control_message.h"

#include <gtest/gtest.h>

#include "formats/json.h"

namespace dt::shim {
namespace {

using namespace core::shim;  // NOLINT: the brain's events

Spec two_ranks() { return {.ranks = {0, 1}, .cwd = "/work"}; }

std::string error(std::string_view line) {
  return parse_control_line(line, two_ranks()).status().message();
}

template <class E>
E event(std::string_view line) {
  return std::get<E>(std::get<Event>(parse_control_line(line, two_ranks()).value()));
}

TEST(ControlMessage, StartNeedsACommandForEachRankOfTheNode) {
  const auto order = parse_control_line(
      R"({"op":"start","ranks":[{"rank":0,"argv":["a","b"],"env":{"X":"1"}},
          {"rank":1,"argv":["c"],"cwd":"/there"}],"environment":{"variables":[]}})",
      two_ranks());
  const StartOrder start = std::get<StartOrder>(order.value());
  EXPECT_EQ(start.commands.at(0),
            (Command{.argv = {"a", "b"}, .env = {{"X", "1"}}, .cwd = "/work"}));
  EXPECT_EQ(start.commands.at(1), (Command{.argv = {"c"}, .cwd = "/there"}));
  EXPECT_EQ(to_json(start.environment), R"({"variables":[]})");
  EXPECT_EQ(error(R"({"op":"start","ranks":[{"rank":0,"argv":["a"]}]})"),
            "start: the command of rank 1 is missing");
  EXPECT_EQ(error(R"({"op":"start","ranks":[{"rank":0,"argv":[]}]})"),
            "start: rank 0: argv is empty");
  EXPECT_EQ(error(R"({"op":"start","ranks":[{"rank":0,"argv":["a"],"env":{"X":1}}]})"),
            "start: rank 0: env.X must be a text, got 1");
}

TEST(ControlMessage, WhatAllRanksShareIsSaidOnce) {
  const auto order = parse_control_line(
      R"({"op":"start","env":{"A":"1","B":"2"},)"
      R"("ranks":[{"rank":0,"argv":["a"],"env":{"B":"3"}},{"rank":1,"argv":["a"]}]})",
      two_ranks());
  const StartOrder start = std::get<StartOrder>(order.value());
  EXPECT_EQ(start.commands.at(0).env, (std::map<std::string, std::string>{{"A", "1"}, {"B", "3"}}));
  EXPECT_EQ(start.commands.at(1).env, (std::map<std::string, std::string>{{"A", "1"}, {"B", "2"}}));
}

TEST(ControlMessage, ALeaseWithoutADeadlineIsForEver) {
  const auto lease = event<LeaseExtended>(R"({"op":"lease","checkpoint_at_ms":5,"deadline_ms":9})");
  EXPECT_EQ(to_ms(lease.checkpoint_at), 5);
  EXPECT_EQ(to_ms(lease.deadline), 9);
  EXPECT_EQ(event<LeaseExtended>(R"({"op":"lease","deadline_ms":null})").deadline, never);
}

TEST(ControlMessage, PreemptSaysHowLong) {
  EXPECT_EQ(event<PreemptOrdered>(R"({"op":"preempt","left_ms":70})").left, Duration(70));
  EXPECT_EQ(error(R"({"op":"preempt"})"), "preempt: left_ms is missing");
}

TEST(ControlMessage, WhatIsUnknownIsNamed) {
  EXPECT_EQ(error(R"({"op":"dance"})"),
            "op \"dance\" is unknown; there are start, preempt, stop, kill and lease");
}

}  // namespace
}  // namespace dt::shim
