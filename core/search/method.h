// The seam of all search methods: events in, operations out, in Determined's semantics
// (reference/determined.md §3). A method is deterministic: all chance comes from the numpy stream
// seeded by the experiment, and the whole state is in snapshot(), so restore() continues the same
// stream bit for bit. NaN, an infinity in the bad direction and a crash count as the worst value.
// One thread; no method may call back.
#pragma once

#include <memory>
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
  bool operator==(const CreateTrial&) const = default;
};
struct StopTrial {
  SearchTrial trial = 0;
  bool operator==(const StopTrial&) const = default;
};
struct Shutdown {
  bool cancel = false;   // every trial was cancelled by a person
  bool failure = false;  // every trial failed
  bool operator==(const Shutdown&) const = default;
};
using SearchOperation = std::variant<CreateTrial, StopTrial, Shutdown>;
using SearchOperations = std::vector<SearchOperation>;

enum class ExitReason { completed, errored, invalid_hp, user_cancelled };

// A validation report as the searcher sees it. `metric` is raw (not negated).
struct ValidationReport {
  SearchTrial trial = 0;
  double metric = 0;
  std::int64_t time = 0;  // the time metric; the step when none is configured
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
  virtual double progress(const std::vector<double>& trial_progress) const = 0;  // 0..1, never NaN
  virtual Value snapshot() const = 0;
  virtual Status restore(const Value& snapshot) = 0;
};

std::unique_ptr<SearchMethod> make_search_method(const SearcherConfig& config,
                                                 const HyperparameterSpace& space,
                                                 std::uint32_t seed);

// A searcher with its life cycle: the bookkeeping that all methods share (requested, closed,
// failures, cancels; Determined's shutdown rule; early exit told once).
class Searcher {
 public:
  Searcher(const SearcherConfig& config, const HyperparameterSpace& space, std::uint32_t seed);

  SearchOperations start();
  SearchOperations validation_completed(const ValidationReport& report);
  // Ends with Shutdown when every requested trial is closed.
  SearchOperations trial_exited(SearchTrial trial, ExitReason reason);
  void set_trial_progress(SearchTrial trial, double fraction);
  double progress() const;
  int trials_requested() const { return requested_; }
  int trials_closed() const { return closed_; }

  // {"method": name, "version": n, …}; restore() refuses another method or version.
  Value snapshot() const;
  Status restore(const Value& snapshot);

 private:
  struct Trial {
    bool stopped = false;  // by the searcher
    bool closed = false;
    double progress = 0;
  };

  Trial& trial_at(SearchTrial trial);
  SearchOperations note(SearchOperations operations);

  std::string method_name_;
  std::unique_ptr<SearchMethod> method_;
  int requested_ = 0;
  int closed_ = 0;
  int failures_ = 0;
  int cancels_ = 0;
  std::vector<Trial> trials_;
};

}  // namespace dt::core
