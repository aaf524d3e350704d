#include "proto/status_wire.h"

#include <gtest/gtest.h>

namespace dt {
namespace {

TEST(StatusWire, KeepsCodeMessageAndDetailOnTheWay) {
  const Status refused = invalid_argument("searcher.max_trials must be at least 1, got 0")
                             .with_detail({.subject = "searcher.max_trials",
                                           .value = "0",
                                           .hint = "give a whole number from 1 on",
                                           .path = "searcher.max_trials",
                                           .line = 12});
  EXPECT_EQ(from_grpc(to_grpc(refused)), refused);
}

TEST(StatusWire, SuccessStaysSuccess) {
  EXPECT_TRUE(from_grpc(to_grpc(Status())).ok());
  EXPECT_TRUE(to_grpc(Status()).ok());
}

TEST(StatusWire, DetailsOfAnotherKindAreLeftOut) {
  const grpc::Status foreign(grpc::StatusCode::INTERNAL, "broken", "\xff\xff\xff");
  EXPECT_EQ(from_grpc(foreign), internal("broken"));
}

}  // namespace
}  // namespace dt
