#include "core/sched/pool_option.h"

#include <gtest/gtest.h>

namespace dt::core {
namespace {

std::string refused(const std::string& text) {
  const auto pool = parse_pool(text);
  return pool.ok() ? "accepted" : pool.status().text();
}

TEST(PoolOption, APoolIsNamedAndItsRulesFollow) {
  EXPECT_EQ(parse_pool("default")->second, PoolConfig{});
  const auto pool = parse_pool("gpus:scheduler=fair_share,fit=fragmentation,heterogeneous");
  EXPECT_EQ(pool->first, "gpus");
  EXPECT_EQ(pool->second, (PoolConfig{.scheduler = SchedulerKind::fair_share,
                                      .heterogeneous = true,
                                      .fit = FitPolicy::fragmentation}));
  const auto attained =
      parse_pool("a:scheduler=attained,level_minutes=30,promote_hours=0,min_run_s=90");
  EXPECT_EQ(attained->second.attained,
            (AttainedOptions{
                .level_pool_hours = {0.5}, .promote_after = {}, .min_run = Duration(90'000)}));
}

TEST(PoolOption, WhatIsWrongIsNamedWithTheWayOut) {
  EXPECT_EQ(refused(":fit=best"),
            "pool option name: :fit=best (NAME or NAME:KEY=VALUE,… is wanted)");
  EXPECT_EQ(refused("a:fit=tight"),
            "pool option fit: tight (best, worst, random, fgd or fragmentation)");
  EXPECT_EQ(refused("a:preemption=yes"), "pool option preemption: yes (it takes no value)");
  EXPECT_EQ(refused("a:min_run_s=-1"),
            "pool option min_run_s: -1 (a number of 0 or more is wanted)");
  EXPECT_NE(refused("a:scheduler=backfill").find("attained"), std::string::npos);
  EXPECT_NE(refused("a:colour=red").find("known: scheduler"), std::string::npos);
}

}  // namespace
}  // namespace dt::core
