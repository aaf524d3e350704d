// A simulated clock: workers train the trials of a search, a step of training takes 1. A paused
// trial that is resumed waits for its checkpoint first; that is charged.
#pragma once

#include "bench/search_player.h"
#include "bench/search_problem.h"

namespace dt::bench {

struct Race {
  int workers = 0;
  std::vector<int> budgets;  // in full trainings, of the clock on the wall; rising
  bool own_points = false;   // the search proposes the points; else all searches have the same
};

constexpr double resume_steps = 1;     // what loading a checkpoint costs
constexpr double nothing_trained = 2;  // the regret before any configuration was trained in full

// The regret at each budget: of the best configuration trained in full by then, 0 as good as the
// best known one, 1 as the median. The player's search was just begun.
std::vector<double> regrets_of(Player& player, const Problem& problem, Course& course,
                               const Race& race);

}  // namespace dt::bench
