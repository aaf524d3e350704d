#include "core/experiment/summary.h"

#include "base/cat.h"
#include "core/experiment/attempt_end.h"
#include "core/experiment/transitions.h"

namespace dt::core {
namespace {

struct Tally {
  std::size_t trials = 0;
  std::size_t failed = 0;
  std::size_t invalid = 0;
  std::size_t not_a_number = 0;
  const TrialRow* last_failed = nullptr;
  const TrialRow* last_invalid = nullptr;
};

void keep_later(const TrialRow*& last, const TrialRow& row) {
  if (last == nullptr || row.ended_ms >= last->ended_ms) last = &row;
}

Tally tally_of(const std::vector<const TrialRow*>& trials) {
  Tally tally{.trials = trials.size()};
  for (const TrialRow* row : trials) {
    if (row->state == TrialState::error) {
      ++tally.failed;
      keep_later(tally.last_failed, *row);
    } else if (row->message.starts_with(invalid_hparams_words)) {
      ++tally.invalid;
      keep_later(tally.last_invalid, *row);
    } else if (row->latest_metric && !row->best_metric) {
      ++tally.not_a_number;
    }
  }
  return tally;
}

// "every trial failed", "2 of 5 trials failed", and after another count "2 failed".
std::string count_text(std::size_t count, const Tally& tally, const char* what, bool is_first) {
  if (count == tally.trials) return cat("every trial ", what);
  if (is_first) return cat(count, " of ", tally.trials, " trials ", what);
  return cat(", ", count, ' ', what);
}

std::string reasons_of(const Tally& tally) {
  std::string text;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += count_text(count, tally, what, text.empty());
  };
  add(tally.failed, "failed");
  add(tally.invalid, "had invalid hyperparameters");
  add(tally.not_a_number, "reported no number but NaN");
  return text;
}

std::string text_of(const ExperimentRow& experiment, const SearcherConfig& searcher,
                    const Tally& tally) {
  if (!experiment.message.empty()) return experiment.message;
  // Of a single trial the metric decides nothing, and what a person ended says nothing.
  const bool was_canceled = end_of(experiment.state) == ExperimentState::canceled;
  const bool must_find = !std::holds_alternative<SingleSearch>(searcher.method) && !was_canceled;
  const bool found_nothing = must_find && tally.trials > 0 && !experiment.best_metric;
  if (found_nothing) return cat("no trial gave a valid metric: ", reasons_of(tally));
  if (tally.failed > 0) return count_text(tally.failed, tally, "failed", true);
  const bool all_invalid = tally.trials > 0 && tally.invalid == tally.trials;
  return all_invalid ? reasons_of(tally) : "";
}

}  // namespace

std::string limit_text(SearchLimit limit, const SearcherConfig& searcher) {
  switch (limit) {
    case SearchLimit::target_metric:
      return cat("a trial reached ", searcher.target_metric.value_or(0),
                 " (searcher.target_metric)");
    case SearchLimit::wall_time:
      return cat("the search has had its ", searcher.max_wall_time_s.value_or(0),
                 " s (searcher.max_wall_time_s)");
    case SearchLimit::none:
    case SearchLimit::hopeless: return "";  // its trials tell
  }
  VERIFY(false, "limit ", static_cast<int>(limit));
  return "";
}

std::string summary_of(const ExperimentRow& experiment, const SearcherConfig& searcher,
                       const std::vector<const TrialRow*>& trials) {
  const Tally tally = tally_of(trials);
  const std::string text = text_of(experiment, searcher, tally);
  const TrialRow* example = tally.last_failed != nullptr ? tally.last_failed : tally.last_invalid;
  if (text.empty() || example == nullptr) return text;
  return cat(text, "; trial ", example->id, ": ", example->message);
}

}  // namespace dt::core
