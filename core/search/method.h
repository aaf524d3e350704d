// The seam of all search methods: events in, operations out, in Determined's semantics
// (reference/determined.md §3). A method is deterministic: all chance comes from the numpy stream
// seeded by the experiment, and the whole state is in snapshot(), so restore() continues the same
// stream bit for bit. NaN, an infinity in the bad direction and a crash count as the worst value.
// One thread; no method may call back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/status.h"
#include "base/value.h"
#include "core/model/config.h"

namespace dt::core {

// Trials are numbered 0, 1, … in the order of their creation; the experiment machine maps the
// number to a TrialId.
using SearchTrial = int;

struct CreateTrial {
  SearchTrial trial = 0;
  std::string request_id;  // UUIDv4 of the stream, as Determined makes it
  std::uint32_t trial_seed = 0;
  Value hparams;
  std::optional<SearchTrial> parent = std::nullopt;  // it starts from this one's latest checkpoint
  bool operator==(const CreateTrial&) const = default;
};
struct StopTrial {
  SearchTrial trial = 0;
  bool operator==(const StopTrial&) const = default;
};
// Not to be trained for now, but maybe later, from its checkpoint: the trial is asked to checkpoint
// and gives its slots back. What it still reports is heard.
struct PauseTrial {
  SearchTrial trial = 0;
  bool operator==(const PauseTrial&) const = default;
};
struct ResumeTrial {
  SearchTrial trial = 0;
  bool operator==(const ResumeTrial&) const = default;
};
struct Shutdown {
  bool cancel = false;   // every trial was cancelled by a person
  bool failure = false;  // every trial failed
  bool operator==(const Shutdown&) const = default;
};
using SearchOperation = std::variant<CreateTrial, StopTrial, PauseTrial, ResumeTrial, Shutdown>;
using SearchOperations = std::vector<SearchOperation>;

// What a program outside tells a custom search to do.
struct ProposeTrial {
  Value hparams;
  std::optional<SearchTrial> parent = std::nullopt;
};
struct FinishSearch {};  // no more trials; those that are going end by themselves
using Proposal = std::variant<ProposeTrial, StopTrial, PauseTrial, ResumeTrial, FinishSearch>;

enum class ExitReason { completed, errored, invalid_hp, user_cancelled };

// A validation report as the searcher sees it. `metric` is raw (not negated).
struct ValidationReport {
  SearchTrial trial = 0;
  double metric = 0;
  std::int64_t time = 0;  // the time metric; the step when none is configured
};

// A place where trials are compared. Units count from a trial's start.
struct RungState {
  int bracket = 0;
  std::int64_t units = 0;
  int trials = 0;     // that have a value here
  int continued = 0;  // of those: went on
  int stopped = 0;    // were stopped here, or failed; on the top rung only failed ones are
  int paused = 0;
  std::optional<double> best;  // as reported
  bool operator==(const RungState&) const = default;
};

class SearchMethod {
 public:
  virtual ~SearchMethod() = default;
  virtual SearchOperations initial_trials() = 0;
  virtual SearchOperations validation_completed(const ValidationReport& report) = 0;
  // The trial told its end before the searcher stopped it (a second one is ignored).
  virtual SearchOperations trial_exited_early(SearchTrial trial, ExitReason reason) = 0;
  // The trial is over, for whatever reason; last event of every trial.
  virtual SearchOperations trial_exited(SearchTrial trial) = 0;
  virtual std::vector<RungState> rungs() const { return {}; }
  virtual std::int64_t trials_wanted() const = 0;  // in all, if none turns out invalid
  // Only a custom search takes proposals, and waits for them when every trial is over.
  virtual Result<SearchOperations> proposed(const Proposal& proposal);
  virtual bool waits_for_proposals() const { return false; }
  // 0..1, never NaN. `trials_done` is the sum over the trials: 1 if closed, else what it reported.
  virtual double progress(double trials_done) const = 0;
  virtual Value snapshot() const = 0;
  // Of a method that was just made; after an error it is of no use.
  virtual Status restore(const Value& snapshot) = 0;
};

const char* name_of(const SearcherConfig& config);  // "async_halving"

std::unique_ptr<SearchMethod> make_search_method(const SearcherConfig& config,
                                                 const HyperparameterSpace& space,
                                                 std::uint32_t seed);

// Why a search begins nothing new and ends what is going: not by its own rule.
enum class SearchLimit { none, target_metric, wall_time, hopeless };

// A searcher with its life cycle: the bookkeeping that all methods share (requested, closed,
// failures, cancels; Determined's shutdown rule; early exit told once).
class Searcher {
 public:
  Searcher(const SearcherConfig& config, const HyperparameterSpace& space, std::uint32_t seed);

  SearchOperations start();
  SearchOperations validation_completed(const ValidationReport& report);
  // Ends with Shutdown when every requested trial is closed.
  SearchOperations trial_exited(SearchTrial trial, ExitReason reason);
  // An error when it makes no sense (no such trial, a point outside the space); nothing has
  // changed.
  Result<SearchOperations> propose(const Proposal& proposal);
  // max_wall_time_s are over, as its owner says who has a clock: every trial is stopped.
  SearchOperations wall_time_is_over();
  SearchLimit limit_reached() const { return limit_; }
  void set_trial_progress(SearchTrial trial, double fraction);
  double progress() const;
  int trials_requested() const { return requested_; }
  int trials_closed() const { return closed_; }
  std::vector<RungState> rungs() const { return method_->rungs(); }
  std::int64_t trials_wanted() const { return method_->trials_wanted(); }
  // The trial waits for ResumeTrial.
  bool is_paused(SearchTrial trial) const { return knows(trial) && row(trial).paused; }
  bool is_stopped(SearchTrial trial) const { return knows(trial) && row(trial).stopped; }
  bool is_closed(SearchTrial trial) const { return knows(trial) && row(trial).closed; }

  // {"method": name, "version": n, …}; restore() refuses another method or version. On an error
  // nothing has changed.
  Value snapshot() const;
  Status restore(const Value& snapshot);

 private:
  struct Trial {
    bool stopped = false;  // by the searcher
    bool paused = false;   // by the searcher
    bool closed = false;
    double progress = 0;
  };

  bool knows(SearchTrial trial) const { return trial >= 0 && trial < requested_; }
  const Trial& row(SearchTrial trial) const { return trials_[static_cast<std::size_t>(trial)]; }
  Trial& trial_at(SearchTrial trial);
  void set_done(Trial& trial, double fraction);
  Status restore_trials(const Value& snapshot);
  SearchOperations note(SearchOperations operations);
  Status check(const Proposal& proposal) const;
  bool reaches_target(const ValidationReport& report) const;
  void finish(SearchOperations& operations);
  bool is_hopeless() const;
  void shut_down_if_over(SearchOperations& operations);

  SearcherConfig config_;
  HyperparameterSpace space_;
  std::unique_ptr<SearchMethod> method_;
  int requested_ = 0;
  int closed_ = 0;
  SearchLimit limit_ = SearchLimit::none;  // else nothing new is started
  int failures_ = 0;
  int invalid_ = 0;
  int cancels_ = 0;
  std::vector<Trial> trials_;
  std::int64_t done_ = 0;  // the sum of what is done of each, in done_units: exact in any order
};

}  // namespace dt::core
