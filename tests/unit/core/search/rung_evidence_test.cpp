#include "core/search/rung_evidence.h"

#include <gtest/gtest.h>

namespace dt::core {
namespace {

// As many trials, of which the last `misplaced` are the best on the next rung.
RungEvidence evidence_of(int trials, int misplaced) {
  RungEvidence evidence;
  for (int i = 0; i < trials; ++i) evidence.add(i, i >= trials - misplaced ? -i : i);
  return evidence;
}

TEST(RungEvidence, DoubtsNothingBeforeTwelveTrials) {
  EXPECT_FALSE(evidence_of(11, 11).doubts_first());
  EXPECT_TRUE(evidence_of(12, 12).doubts_first());
}

TEST(RungEvidence, AllowsOnePairOfFiveToChangePlaces) {
  EXPECT_FALSE(evidence_of(20, 0).doubts_first());
  EXPECT_FALSE(evidence_of(20, 2).doubts_first());  // 37 of 190 pairs
  EXPECT_TRUE(evidence_of(20, 3).doubts_first());   // 54
}

TEST(RungEvidence, EqualOnBothIsAlike) {
  RungEvidence evidence;
  for (int i = 0; i < 20; ++i) evidence.add(1, 2);
  EXPECT_FALSE(evidence.doubts_first());
}

TEST(RungEvidence, SurvivesASnapshot) {
  const RungEvidence before = evidence_of(20, 3);
  RungEvidence after;
  ASSERT_TRUE(after.restore(before.snapshot()).ok());
  EXPECT_EQ(after.snapshot(), before.snapshot());
  EXPECT_TRUE(after.doubts_first());
  EXPECT_EQ(after.restore(Value(3)).message(), "searcher snapshot: 'evidence' must be a list");
}

}  // namespace
}  // namespace dt::core
