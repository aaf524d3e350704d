#include "core/agent/messages.h"

#include <gtest/gtest.h>

namespace dt::core {
namespace {

TEST(AgentMessages, AStatusReadsBackEqual) {
  const AllocationStatus status = {
      .allocation = {2, 41},
      .phase = AllocationPhase::running,
      .address = "10.0.0.1",
      .port = 4711,
      .exits = {{.rank = 3, .code = 143, .signal = 15, .ordered = Order::preempt, .seq = 99}},
      .failure = "why",
      .infrastructure = true};
  AllocationStatus back;
  ASSERT_TRUE(status_from(to_value(status), back));
  EXPECT_EQ(back, status);
}

TEST(AgentMessages, WhatIsNoStatusIsRefused) {
  AllocationStatus status;
  EXPECT_FALSE(status_from(Value(), status));
  const Value good = to_value(AllocationStatus{});
  for (const auto& [name, unused] : good.as_object()) {
    Value damaged = good;
    damaged.set(name, Value());
    EXPECT_FALSE(status_from(damaged, status)) << name;
  }
}

TEST(AgentMessages, AllocationIdsAreTwoNumbers) {
  AllocationId id;
  EXPECT_TRUE(parse_allocation_id("1.7", id));
  EXPECT_EQ(id, (AllocationId{1, 7}));
  for (const char* text : {"", "1", "1.", ".7", "1.7.2", "1.-7", "a.b", "1.7 "}) {
    EXPECT_FALSE(parse_allocation_id(text, id)) << text;
  }
}

TEST(AgentMessages, ARecordReadsBackEqual) {
  const Record record = {.stream = -2,
                         .seq = 5,
                         .kind = RecordKind::metrics,
                         .time_ms = 1'700'000'000'000,
                         .rank_seq = 3,
                         .body = Value::Object{{"step", 1}}};
  Record back;
  ASSERT_TRUE(record_from(to_value(record), back));
  EXPECT_EQ(back, record);
  EXPECT_FALSE(record_from(Value::Object{{"seq", 1}}, back));
}

}  // namespace
}  // namespace dt::core
