#include "bench/search_quality.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "base/rng.h"
#include "bench/search_clock.h"
#include "bench/search_surrogate.h"
#include "bench/search_tables.h"

namespace dt::bench {

namespace {

using Regrets = std::vector<double>;  // by budget

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The middle 95 % of the means of bootstrap samples.
std::pair<double, double> interval(const std::vector<double>& values) {
  constexpr std::size_t samples = 4000;
  Rng rng(1);
  const auto last = static_cast<std::int64_t>(values.size()) - 1;
  std::vector<double> means, drawn(values.size());
  for (std::size_t i = 0; i < samples; ++i) {
    for (double& one : drawn) one = values[static_cast<std::size_t>(rng.between(0, last))];
    means.push_back(mean(drawn));
  }
  std::sort(means.begin(), means.end());
  return {means[samples / 40], means[samples - samples / 40 - 1]};
}

// Problems of one kind. Each seed is on one of them, in turn.
struct Set {
  std::string name;
  Problems problems;
  int seeds = 0;

  std::vector<std::pair<const Problem*, int>> pairs() const {
    std::vector<std::pair<const Problem*, int>> pairs;
    for (int seed = 1; seed <= seeds; ++seed) {
      const std::size_t turn = static_cast<std::size_t>(seed) % problems.size();
      pairs.emplace_back(problems[turn].get(), seed);
    }
    return pairs;
  }
};

// Searches that all train the same configurations need each loss only once.
using Losses = std::map<std::pair<int, int>, double>;  // by trial and step

class KeptCourse : public Course {
 public:
  KeptCourse(std::unique_ptr<Course> course, Losses& losses)
      : course_(std::move(course)), losses_(losses) {}

  int add(const std::vector<double>& point) override { return course_->add(point); }
  double loss(int trial, int step) override {
    const auto [place, is_new] = losses_.try_emplace({trial, step}, 0.0);
    if (is_new) place->second = course_->loss(trial, step);
    return place->second;
  }

 private:
  std::unique_ptr<Course> course_;
  Losses& losses_;
};

struct Match {
  std::string ours;
  std::string peer;
  bool own_points = false;
};

class Tournament {
 public:
  Tournament(const QualityOptions& options, const Set& set, int workers)
      : options_(options), set_(set) {
    race_.workers = workers;
    race_.budgets = options.quick ? std::vector{3, 6, 12} : std::vector{3, 6, 12, 25};
  }

  Status run(const std::vector<Match>& matches) {
    for (const Match& match : matches) {
      race_.own_points = match.own_points;
      TRY(play(match.ours, false));
      if (options_.python.empty()) {
        print_regrets(match.ours);
        continue;
      }
      TRY(play(match.peer, match.peer.starts_with("ray_") || match.peer.starts_with("optuna_")));
      compare(match);
    }
    return {};
  }

 private:
  Status play(const std::string& name, bool is_peer) {
    std::vector<Regrets>& results = results_[name];
    if (!results.empty()) return {};
    std::unique_ptr<Player> player = own_player(name);
    if (is_peer) player = TRY(peer_player({options_.python, options_.peers, "--peer", name}));
    for (const auto& [problem, seed] : set_.pairs()) {
      player->begin(*problem, race_.workers, seed);
      std::unique_ptr<Course> course = problem->begin(seed);
      if (!race_.own_points) {
        course = std::make_unique<KeptCourse>(std::move(course), losses_[seed]);
      }
      results.push_back(regrets_of(*player, *problem, *course, race_));
    }
    return {};
  }

  // At one budget, or (none) the mean over all.
  std::vector<double> regrets(const std::string& name, std::optional<std::size_t> budget) const {
    std::vector<double> values;
    for (const Regrets& one : results_.at(name)) {
      values.push_back(budget ? one[*budget] : mean(one));
    }
    return values;
  }

  void print_regrets(const std::string& name) const {
    for (std::size_t i = 0; i < race_.budgets.size(); ++i) {
      std::cout << R"({"problems":")" << set_.name << R"(","workers":)" << race_.workers
                << R"(,"budget":)" << race_.budgets[i] << R"(,"ours":")" << name
                << R"(","our_regret":)" << mean(regrets(name, i)) << "}" << std::endl;
    }
  }

  void compare(const Match& match) const {
    for (std::size_t i = 0; i < race_.budgets.size(); ++i) {
      print_gap(match, cat(race_.budgets[i]), i);
    }
    print_gap(match, "\"all\"", std::nullopt);
  }

  void print_gap(const Match& match, const std::string& budget,
                 std::optional<std::size_t> index) const {
    const std::vector<double> ours = regrets(match.ours, index), peer = regrets(match.peer, index);
    std::vector<double> gaps;
    for (std::size_t i = 0; i < ours.size(); ++i) gaps.push_back(ours[i] - peer[i]);
    const auto [low, high] = interval(gaps);
    std::cout << R"({"problems":")" << set_.name << R"(","workers":)" << race_.workers
              << R"(,"budget":)" << budget << R"(,"ours":")" << match.ours << R"(","peer":")"
              << match.peer << R"(","our_regret":)" << mean(ours) << R"(,"peer_regret":)"
              << mean(peer) << R"(,"difference":)" << mean(gaps) << R"(,"low":)" << low
              << R"(,"high":)" << high << R"(,"pairs":)" << gaps.size() << "}" << std::endl;
  }

  const QualityOptions& options_;
  const Set& set_;
  Race race_;
  std::map<std::string, std::vector<Regrets>> results_;  // by search, then pair
  std::map<int, Losses> losses_;                         // by seed
};

std::vector<Match> rule_matches(bool quick) {
  std::vector<Match> matches = {{"asha_promote", "ray_asha"}, {"asha_promote", "optuna_sha"}};
  if (quick) return matches;
  matches.push_back({"asha_promote", "optuna_hyperband"});
  matches.push_back({"asha_promote", "asha_stop"});
  matches.push_back({"asha_promote", "random"});
  return matches;
}

std::vector<Match> model_matches(bool quick) {
  std::vector<Match> matches = {{"hyperband_tpe", "optuna_tpe_hyperband", true}};
  if (!quick) matches.push_back({"asha_promote_tpe", "optuna_tpe_hyperband", true});
  return matches;
}

}  // namespace

Status measure_quality(const QualityOptions& options) {
  const std::string inside = options.data + "/taskset";
  const bool has_inside = std::filesystem::exists(inside);
  Set tables{.name = "taskset",
             .problems = TRY(load_tables(has_inside ? inside : options.data)),
             .seeds = options.seeds > 0 ? options.seeds
                      : options.quick   ? 36
                                        : 60};
  Set surrogate{.name = "lcbench", .problems = {}, .seeds = options.seeds > 0 ? options.seeds : 30};
  if (!options.lcbench.empty()) surrogate.problems = TRY(load_surrogate(options.lcbench));
  const bool has_surrogate = !surrogate.problems.empty();
  for (const int workers : {4, 16}) {
    if (options.workers != 0 && options.workers != workers) continue;
    TRY(Tournament(options, tables, workers).run(rule_matches(options.quick)));
    if (has_surrogate && !options.quick) {
      TRY(Tournament(options, surrogate, workers).run(rule_matches(false)));
    }
    if (workers != 16 && options.quick) continue;
    const Set& set = has_surrogate ? surrogate : tables;
    TRY(Tournament(options, set, workers).run(model_matches(options.quick)));
  }
  return {};
}

}  // namespace dt::bench
