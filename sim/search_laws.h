// The laws between a search and its trials: it hears what a decision needs, once and in order, from
// attempts that are open; its trials are the ones it asked for; and under all faults it is the same
// search as one that hears the same events without any (P5). One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/experiment/search_log.h"
#include "sim/search_model.h"
#include "sim/turn.h"

namespace dt::sim {

class World;

class SearchLaws {
 public:
  explicit SearchLaws(World& world) : world_(world) {}

  void master_starts(const Rows& rows);  // goes on from what was committed
  Breach check(const Turn& turn);

 private:
  struct Trial {
    std::int64_t last_step = -1;
    std::optional<double> latest, best;
    int exits = 0;
  };
  struct Search {
    Value config;
    std::unique_ptr<SearchModel> model;      // null: none for its method
    std::unique_ptr<core::SearchLog> fresh;  // one that knows no fault; null: not usable
    std::map<std::int64_t, core::CreateTrial> asked;
    std::set<std::int64_t> told_to_stop;
    std::int64_t events = 0;
    std::map<std::int64_t, Trial> trials;  // that it heard of
    std::optional<double> best;
    int created = 0;
    std::vector<TrialId> ids;  // by the search's number
    std::set<std::int64_t> stopped;
  };

  Search& search_of(const core::ExperimentRow& row);
  static void replay(const core::SearcherEventRow& row, Search& search);
  static void hear_fresh(const Value& event, Search& search);
  Breach pause_breach(const Turn& turn, const Search& search, const core::TrialRow& row) const;
  Breach hear(const Turn& turn, const core::SearcherEventRow& row);
  Breach hear_validation(const Turn& turn, const Search& search, const Value& event) const;
  Breach hear_exit(const Turn& turn, const core::ExperimentRow& experiment, Search& search,
                   const Value& event);
  const core::InboxRow* source_of(const Turn& turn, TrialId trial, std::int64_t step) const;
  Breach heard_all(const Turn& turn) const;
  Breach must_hear(const Turn& turn, const core::InboxRow& row) const;
  Breach trial_agrees(const Turn& turn, const core::TrialRow& row);
  Breach experiment_agrees(const Turn& turn, const core::ExperimentRow& row);
  Breach asked_for(const Search& search, const core::TrialRow& row) const;

  World& world_;
  std::map<ExperimentId, Search> searches_;
};

}  // namespace dt::sim
