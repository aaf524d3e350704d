// What a line of a trial's output does to it, by its experiment's log policies.
#include "core/master/ingest.h"
#include "tests/unit/core/master/cluster.h"

namespace dt::core {
namespace {

TEST(LogPolicies, TwoAreThereUnlessTheyAreNamedWithoutAPattern) {
  const auto names_of = [](const ParsedConfig& config) {
    std::string names;
    for (const LogPolicy& policy : config.config.log_policies) {
      names += cat(policy.name, policy.pattern.empty() ? " off; " : "; ");
    }
    return names;
  };
  EXPECT_EQ(names_of(single(1)), "CUDA OOM; ECC Error; ");
  const ParsedConfig own = single(1,
                                  "log_policies: [{name: CUDA OOM}, {pattern: a, action: "
                                  "cancel_retries}]\n");
  EXPECT_EQ(names_of(own), "CUDA OOM off; ; ECC Error; ");
  EXPECT_EQ(own.config.log_policies[1].action, LogPolicy::Action::cancel_retries);
  EXPECT_EQ(parse_config(own.resolved, {})->config.log_policies, own.config.log_policies)
      << "read again after a restart, nothing is added";
}

TEST(LogPolicies, ALineThatMatchedReachesTheInbox) {
  const Value facts = Value::Array{Value::Object{{"name", "p"}, {"action", "cancel_retries"}}};
  const std::vector<Record> records = {
      {.seq = 1, .body = Value::Object{{"text", "fine"}}},
      {.seq = 2, .body = Value::Object{{"text", "bad"}, {"policies", facts}}}};
  const IngestPlan plan = plan_ingest({.allocation = {1, 1}, .trial = {1}}, {}, records);
  EXPECT_EQ(plan.logs.size(), 2u);
  ASSERT_EQ(plan.inbox.size(), 1u);
  EXPECT_EQ(plan.inbox[0].kind, RecordKind::log);
  EXPECT_EQ(plan.inbox[0].body, Value(Value::Object{{"policies", facts}}));
}

TEST(LogPolicies, OneWithoutAnActionOnlyLabels) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.log_match(1, 0, "CUDA OOM", "");
  cluster.exit_all(1, 1);
  EXPECT_EQ(cluster.rows.trials.at({1}).log_policy, "CUDA OOM");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1");
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 1);
}

TEST(LogPolicies, CancelRetriesEndsATrialAtItsNextFailure) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.log_match(1, 0, "no data", "cancel_retries");
  EXPECT_EQ(cluster.trials(), "1 ACTIVE runs n1:1") << "it has not failed yet";
  cluster.restart();
  cluster.exit_all(1, 1);
  EXPECT_EQ(cluster.message(1),
            "rank 0 exited with 1; not restarted, because its output matched the log policy "
            "\"no data\" (cancel_retries)");
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 0);
}

TEST(LogPolicies, AnExcludedNodeIsAvoidedByThatTrialAlone) {
  Cluster cluster("2x1");
  cluster.submit(single(1));
  const std::string first = cluster.attempt(1).nodes[0].agent.value;
  const std::string other = first == "n1" ? "n2" : "n1";
  cluster.log_match(1, 0, "ECC Error", "exclude_node");
  cluster.exit_all(1, 1);
  EXPECT_EQ(cluster.trials(), cat("1 ACTIVE runs ", other, ":1"));
  cluster.submit(single(1));
  EXPECT_EQ(cluster.trials(), cat("1 ACTIVE runs ", other, ":1; 2 ACTIVE runs ", first, ":1"));
  cluster.log_match(1, 0, "ECC Error", "exclude_node");
  cluster.exit_all(1, 1);
  EXPECT_EQ(cluster.message(1).find("rank 0 exited with 1; no node is left that could run it: log "
                                    "policies exclude "),
            0u)
      << cluster.message(1);
}

TEST(LogPolicies, AContinuedTrialForgetsThem) {
  Cluster cluster("1x1");
  cluster.submit(single(1));
  cluster.log_match(1, 0, "no data", "cancel_retries");
  cluster.exit_all(1, 1);
  cluster.go_on(1);
  cluster.exit_all(1, 1);
  EXPECT_EQ(cluster.rows.trials.at({1}).restarts, 1);
}

}  // namespace
}  // namespace dt::core
