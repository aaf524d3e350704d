#include "master/log_matcher.h"

#include <re2/re2.h>

#include <algorithm>

namespace dt::master {
namespace {

constexpr std::size_t known_max = 10'000;  // allocations

RE2::Options options() {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(1 << 20);
  return options;
}

Value fact_of(const core::LogPolicy& policy) {
  return Value::Object{{"name", policy.name.empty() ? policy.pattern : policy.name},
                       {"action", core::to_text(policy.action)}};
}

}  // namespace

struct LogMatcher::Patterns {
  struct One {
    core::LogPolicy policy;
    RE2 pattern;
    bool told = false;
    explicit One(core::LogPolicy given)
        : policy(std::move(given)), pattern(policy.pattern, options()) {}
  };

  explicit Patterns(const std::vector<core::LogPolicy>& policies) {
    for (const core::LogPolicy& policy : policies) {
      if (!policy.pattern.empty()) all.push_back(std::make_unique<One>(policy));
    }
  }

  // What the line tells that was not told before.
  Value::Array facts_in(const std::string& line) {
    const std::lock_guard lock(mutex);
    Value::Array facts;
    for (const auto& one : all) {
      if (one->told || !RE2::PartialMatch(line, one->pattern)) continue;
      one->told = true;
      facts.push_back(fact_of(one->policy));
    }
    return facts;
  }

  std::mutex mutex;
  std::vector<std::unique_ptr<One>> all;  // `told` is guarded by mutex
};

LogMatcher::~LogMatcher() = default;

Status check_patterns(const std::vector<core::LogPolicy>& policies) {
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const RE2 pattern(policies[i].pattern, options());
    if (pattern.ok()) continue;
    const std::string path = cat("log_policies[", i, "].pattern");
    return invalid_argument(path, ": ", pattern.error())
        .with_detail({.subject = path,
                      .value = policies[i].pattern,
                      .hint = "it is an RE2 regular expression",
                      .path = path});
  }
  return {};
}

Result<std::shared_ptr<LogMatcher::Patterns>> LogMatcher::patterns_of(AllocationId allocation) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(allocation);
    if (found != known_.end()) return found->second;
  }
  const AllocationSummary summary = TRY(store_.allocation(allocation));
  const core::ExperimentRow row = TRY(store_.experiment(summary.experiment));
  const Value& policies = row.config["log_policies"];
  auto patterns = std::make_shared<Patterns>(policies.is_array() ? core::log_policies_of(policies)
                                                                 : std::vector<core::LogPolicy>());
  const std::lock_guard lock(mutex_);
  if (known_.size() >= known_max) known_.clear();
  return known_.try_emplace(allocation, std::move(patterns)).first->second;
}

void LogMatcher::forget(AllocationId allocation) {
  const std::lock_guard lock(mutex_);
  known_.erase(allocation);
}

Status LogMatcher::mark(AllocationId allocation, std::vector<core::Record>& records) {
  std::shared_ptr<Patterns> patterns;
  for (core::Record& record : records) {
    if (record.kind != core::RecordKind::log) continue;
    const bool claims = !record.body["policies"].is_null();
    if (claims) record.body.set("policies", Value());
    if (!record.body["text"].is_string()) continue;
    if (!patterns) patterns = TRY(patterns_of(allocation));
    Value::Array facts = patterns->facts_in(record.body["text"].as_string());
    if (!facts.empty()) record.body.set("policies", std::move(facts));
  }
  return {};
}

}  // namespace dt::master
