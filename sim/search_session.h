// dt-search's conversation: one searcher, driven by requests that are JSON maps and answered by
// JSON maps. It keeps what the search has asked for until somebody asks, and tells each trial that
// reports whether to go on. Deterministic: requests in, answers out; the whole state is in
// snapshot(). One thread.
#pragma once

#include <deque>
#include <set>
#include <string>

#include "core/model/config.h"
#include "core/search/method.h"

namespace dt::sim {

class SearchSession {
 public:
  SearchSession(const core::ExperimentConfig& config, std::uint32_t seed);

  // {"error": …} when the request makes no sense; then nothing has changed.
  Value answer(const Value& request);

  Value snapshot() const;
  Status restore(const Value& snapshot);

 private:
  using Job = std::variant<core::CreateTrial, core::ResumeTrial>;

  Result<Value> perform(const Value& request);
  Value ask();
  Result<Value> report(const Value& request);
  Result<Value> exit(const Value& request);
  Result<Value> propose(const Value& request);
  Result<core::Proposal> proposal_in(const Value& request) const;
  Result<core::SearchTrial> trial_in(const Value& request) const;
  Result<core::SearchTrial> trial_at(const Value& request, const char* key) const;
  void take(const core::SearchOperations& operations);
  void stop(core::SearchTrial trial);
  void close(core::SearchTrial trial, core::ExitReason reason);
  std::string decision(core::SearchTrial trial) const;
  Status restore_jobs(const Value& snapshot);

  core::SearcherConfig config_;
  core::Searcher searcher_;
  std::deque<Job> jobs_;                       // not asked for yet
  std::set<core::SearchTrial> unheard_stops_;  // to be closed when these operations are done
  bool done_ = false;
};

}  // namespace dt::sim
