#include "core/search/report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

Value metrics(const Value::Object& members) { return members; }

TEST(Report, ReadsMetricAndTime) {
  const auto report =
      report_of(halving_of({}), 3, metrics({{"loss", 0.25}, {"batches", 7.9}}), 100);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->trial, 3);
  EXPECT_EQ(report->metric, 0.25);
  EXPECT_EQ(report->time, 7);
}

TEST(Report, TakesTheStepWhereNoBatchesAreReported) {
  EXPECT_EQ(report_of(halving_of({}), 0, metrics({{"loss", 1}}), 40)->time, 40);
}

TEST(Report, NeedsNoTimeMetricWithoutRungs) {
  EXPECT_EQ(report_of(random_of(1, 1), 0, metrics({{"loss", 1}}), std::nullopt)->metric, 1);
}

TEST(Report, TakesNaNAndInfinitiesInBothForms) {
  const auto metric = [](const Value& loss) {
    return report_of(random_of(1, 1), 0, metrics({{"loss", loss}}), 1)->metric;
  };
  EXPECT_TRUE(std::isnan(metric("NaN")));
  EXPECT_TRUE(std::isnan(metric(std::nan(""))));
  EXPECT_EQ(metric("Infinity"), INFINITY);
  EXPECT_EQ(metric("-Infinity"), -INFINITY);
}

TEST(Report, NamesWhatWasReportedWhenTheMetricIsMissing) {
  const Status missing =
      report_of(random_of(1, 1), 0, metrics({{"accuracy", 1}, {"f1", 0}}), 1).status();
  EXPECT_EQ(missing.text(),
            "searcher metric 'loss' is missing from the validation report (reported: accuracy, f1; "
            "set searcher.metric to one of them)");
  EXPECT_EQ(missing.detail().path, "searcher.metric");
  EXPECT_EQ(report_of(random_of(1, 1), 0, Value(), 1).status().detail().hint,
            "reported: nothing; set searcher.metric to one of them");
}

TEST(Report, RefusesTextAndOtherTypes) {
  const auto refusal = [](const Value& loss) {
    return report_of(random_of(1, 1), 0, metrics({{"loss", loss}}), 1).status().message();
  };
  EXPECT_EQ(refusal("good"), "searcher metric 'loss' is not a number but a string");
  EXPECT_EQ(refusal(true), "searcher metric 'loss' is not a number but a bool");
  EXPECT_EQ(refusal(Value::Array{1}), "searcher metric 'loss' is not a number but a list");
}

TEST(Report, RefusesATimeThatIsNoFiniteNumber) {
  SearcherConfig config = halving_of({});
  std::get<AsyncHalvingSearch>(config.method).time_metric = "epochs";
  EXPECT_EQ(report_of(config, 0, metrics({{"loss", 1}}), 5).status().message(),
            "searcher time metric 'epochs' is missing from the validation report");
  EXPECT_FALSE(report_of(config, 0, metrics({{"loss", 1}, {"epochs", INFINITY}}), 5).ok());
  EXPECT_FALSE(report_of(config, 0, metrics({{"loss", 1}, {"epochs", "NaN"}}), 5).ok());
}

}  // namespace
}  // namespace dt::core
