// P5: the search is a pure function of (seed, ordered events). Random event sequences, with
// crashes, invalid trials, NaN, repeated exits and reports of trials that are over, drive two
// searchers of every method; one of them is replaced after any event by its own snapshot's text.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/rng.h"
#include "formats/json.h"
#include "tests/unit/core/search/driver.h"

namespace dt::core {
namespace {

struct Case {
  std::string name;
  SearcherConfig config;
  int max_trials = 0;       // valid ones
  int most_concurrent = 0;  // 0: no limit
};

SearcherConfig single() {
  return {.metric = "loss", .smaller_is_better = true, .method = SingleSearch{}};
}

SearcherConfig search_of(decltype(SearcherConfig::method) method) {
  return {.metric = "loss", .smaller_is_better = true, .method = std::move(method)};
}

Case hyperband_case(Rng& chance, int trials, int limit) {
  Case one{"hyperband",
           search_of(HyperbandSearch{.max_trials = trials,
                                     .divisor = 2,
                                     .max_concurrent_trials = limit,
                                     .max_time = chance.between(1, 60)}),
           trials, limit};
  if (chance.chance(50)) one.config.sampler = SamplerKind::tpe;
  return one;
}

// As many trials as it likes, but never more at a time than the population has.
Case pbt_case(Rng& chance) {
  const int population = static_cast<int>(chance.between(2, 6));
  return {"pbt",
          search_of(PbtSearch{.population_size = population, .interval = 15, .max_time = 60}), 0,
          population};
}

// Each bracket keeps a limit of its own, and one trial at least.
Case adaptive_case(Rng& chance, int trials, int limit) {
  AdaptiveAshaSearch search{.mode = static_cast<AdaptiveAshaSearch::Mode>(chance.between(0, 2)),
                            .max_trials = trials,
                            .divisor = 2,
                            .max_concurrent_trials = limit,
                            .max_time = chance.between(1, 60),
                            .promote = chance.chance(50)};
  if (chance.chance(30)) search.bracket_rungs = {1, 3, 2};
  const int brackets = 5;
  return {"adaptive_asha",
          {.metric = "loss", .smaller_is_better = true, .method = search},
          trials,
          limit == 0 ? 0 : std::max(limit, brackets)};
}

// Large enough for scouts.
Case scouting_case(Rng& chance) {
  const int trials = static_cast<int>(chance.between(100, 110));
  return {"scouting",
          halving_of({.rungs = 4,
                      .max_trials = trials,
                      .max_concurrent_trials = 4,
                      .max_time = 60,
                      .promote = true}),
          trials, 4};
}

Case random_case(Rng& chance) {
  const int trials = static_cast<int>(chance.between(1, 12));
  const int limit = static_cast<int>(chance.between(0, 5));
  switch (chance.between(0, 8)) {
    case 0: return {"single", single(), 1, 1};
    case 1: return {"random", random_of(trials, limit), trials, limit};
    case 2: return {"grid", grid_of(limit), 0, limit};
    case 3: return adaptive_case(chance, trials, limit);
    case 4: return hyperband_case(chance, trials, limit);
    case 5: return pbt_case(chance);
    case 6: return {"tpe", search_of(TpeSearch{trials, limit}), trials, limit};
    default:
      return {"async_halving",
              halving_of({.rungs = static_cast<int>(chance.between(1, 5)),
                          .max_trials = trials,
                          .divisor = chance.chance(50) ? 2.5 : 3,
                          .max_concurrent_trials = limit,
                          .max_time = chance.between(1, 60),
                          .smaller_is_better = chance.chance(50),
                          .promote = chance.chance(50)}),
              trials, limit};
  }
}

double random_metric(Rng& chance) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (chance.between(0, 9)) {
    case 0: return std::numeric_limits<double>::quiet_NaN();
    case 1: return chance.chance(50) ? infinity : -infinity;
    case 2: return 0.5;  // ties
    default: return chance.unit() * 2 - 1;
  }
}

// What a person or a cluster may do to a search, and what must hold whatever they do.
class Trials {
 public:
  void take(const SearchOperations& operations) {
    for (const SearchOperation& operation : operations) {
      std::visit(Overload{
                     [&](const CreateTrial& create) {
                       EXPECT_EQ(create.trial, static_cast<int>(open_.size()));
                       open_.push_back(true);
                       stopped_.push_back(false);
                       paused_.push_back(false);
                     },
                     [&](const StopTrial& stop) {
                       stopped_.at(static_cast<std::size_t>(stop.trial)) = true;
                     },
                     [&](const PauseTrial& pause) { set_paused(pause.trial, true); },
                     [&](const ResumeTrial& resume) { set_paused(resume.trial, false); },
                     [&](const Shutdown&) { ++shutdowns_; },
                 },
                 operation);
    }
  }
  // A program may stop or pause a trial twice; only how many there are matters then.
  void note_made(const SearchOperations& operations) {
    for (const SearchOperation& operation : operations) {
      if (!std::holds_alternative<CreateTrial>(operation)) continue;
      open_.push_back(true);
      stopped_.push_back(false);
      paused_.push_back(false);
    }
  }
  void close(SearchTrial trial, ExitReason reason) {
    invalid_ += reason == ExitReason::invalid_hp && open_.at(static_cast<std::size_t>(trial));
    open_.at(static_cast<std::size_t>(trial)) = false;
  }
  int going() const {  // in the search's eyes
    int count = 0;
    for (std::size_t i = 0; i < open_.size(); ++i) count += open_[i] && !stopped_[i] && !paused_[i];
    return count;
  }
  int made() const { return static_cast<int>(open_.size()); }
  int open() const { return static_cast<int>(std::count(open_.begin(), open_.end(), true)); }
  int invalid() const { return invalid_; }
  int shutdowns() const { return shutdowns_; }

 private:
  void set_paused(SearchTrial trial, bool paused) {
    const auto number = static_cast<std::size_t>(trial);
    EXPECT_NE(paused_.at(number), paused) << "trial " << trial;
    EXPECT_FALSE(stopped_.at(number)) << "trial " << trial;
    paused_.at(number) = paused;
  }

  std::vector<bool> open_, stopped_, paused_;
  int invalid_ = 0;
  int shutdowns_ = 0;
};

ExitReason random_reason(Rng& chance) {
  const ExitReason reasons[] = {ExitReason::completed, ExitReason::completed, ExitReason::errored,
                                ExitReason::invalid_hp, ExitReason::user_cancelled};
  return reasons[chance.between(0, 4)];
}

SearchOperations random_event(Rng& chance, Searcher& searcher, Trials& trials) {
  const auto trial = static_cast<SearchTrial>(chance.between(0, trials.made() - 1));
  const auto kind = chance.between(0, 9);
  if (kind < 6) {
    return searcher.validation_completed({trial, random_metric(chance), chance.between(0, 70)});
  }
  if (kind < 8) {
    searcher.set_trial_progress(trial, random_metric(chance));
    return {};
  }
  const ExitReason reason = random_reason(chance);
  const SearchOperations operations = searcher.trial_exited(trial, reason);
  trials.close(trial, reason);
  return operations;
}

Searcher through_its_text(const Case& the_case, const Searcher& searcher) {
  Searcher other(the_case.config, small_space(), 12345);  // the seed must not matter
  const Result<Value> snapshot = parse_json(to_json(searcher.snapshot()));
  EXPECT_TRUE(snapshot.ok());
  const Status restored = other.restore(*snapshot);
  EXPECT_TRUE(restored.ok()) << restored.text();
  EXPECT_EQ(to_json(other.snapshot()), to_json(searcher.snapshot()));
  return other;
}

void check_limits(const Case& the_case, const Trials& trials) {
  if (the_case.most_concurrent > 0) {
    EXPECT_LE(trials.going(), the_case.most_concurrent);
  }
  if (the_case.max_trials > 0) {
    EXPECT_LE(trials.made() - trials.invalid(), the_case.max_trials);
  }
  EXPECT_EQ(trials.shutdowns(), trials.open() == 0 ? 1 : 0);
}

void run_case(std::uint64_t seed, Case (*make_case)(Rng&) = random_case) {
  Rng setup(seed);
  const Case the_case = make_case(setup);
  SCOPED_TRACE(cat("seed ", seed, " ", the_case.name));
  const auto search_seed = static_cast<std::uint32_t>(setup.next());
  Searcher steady(the_case.config, small_space(), search_seed);
  Searcher restarted(the_case.config, small_space(), search_seed);
  Trials trials, same_trials;
  ASSERT_EQ(steady.start(), restarted.start());
  Searcher once_more(the_case.config, small_space(), search_seed);
  trials.take(once_more.start());
  same_trials = trials;
  const std::uint64_t events_seed = setup.next();
  Rng events(events_seed), same_events(events_seed), restarts(setup.next());
  for (int i = 0; i < 50'000 && trials.open() > 0; ++i) {
    if (restarts.chance(30)) restarted = through_its_text(the_case, restarted);
    const SearchOperations operations = random_event(events, steady, trials);
    ASSERT_EQ(random_event(same_events, restarted, same_trials), operations);
    trials.take(operations);
    same_trials.take(operations);
    ASSERT_EQ(steady.progress(), restarted.progress());
    ASSERT_TRUE(steady.progress() >= 0 && steady.progress() <= 1) << steady.progress();
    check_limits(the_case, trials);
  }
  EXPECT_EQ(trials.open(), 0) << "the search did not end";
  EXPECT_EQ(to_json(steady.snapshot()), to_json(restarted.snapshot()));
  if (the_case.max_trials > 0) {
    EXPECT_EQ(trials.made() - trials.invalid(), the_case.max_trials);
  }
}

Proposal random_proposal(Rng& chance, int made) {
  const auto trial = static_cast<SearchTrial>(chance.between(-1, made));
  switch (chance.between(0, 5)) {
    case 0: return StopTrial{trial};
    case 1: return PauseTrial{trial};
    case 2: return ResumeTrial{trial};
    default: break;
  }
  // Now and then outside of the space, or a copy of a trial that is not there.
  const double rate = chance.unit() * 1.1;
  const Value inner = Value::Object{{"rate", rate}, {"width", 3}};
  const Value point = Value::Object{{"kind", "a"}, {"optimizer", inner}, {"batch", 64}};
  if (chance.chance(70)) return ProposeTrial{.hparams = point};
  return ProposeTrial{.hparams = point, .parent = trial};
}

// A custom search hears proposals besides; in the end its time is over.
TEST(SearchProperty, ACustomSearchIsAPureFunctionToo) {
  for (std::uint64_t seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE(cat("seed ", seed));
    const Case the_case{"custom", search_of(CustomSearch{})};
    Rng chance(seed);
    Searcher steady(the_case.config, small_space(), 7),
        restarted(the_case.config, small_space(), 7);
    ASSERT_EQ(steady.start(), restarted.start());
    Trials trials;
    for (int i = 0; i < 150; ++i) {
      if (chance.chance(30)) restarted = through_its_text(the_case, restarted);
      if (trials.made() == 0 || chance.chance(30)) {
        const Proposal proposal = random_proposal(chance, trials.made());
        const auto one = steady.propose(proposal), other = restarted.propose(proposal);
        ASSERT_EQ(one.status(), other.status());
        if (!one.ok()) continue;
        ASSERT_EQ(*one, *other);
        trials.note_made(*one);
      } else {
        Rng same = chance;
        const SearchOperations one = random_event(chance, steady, trials);
        Trials ignored = trials;
        ASSERT_EQ(random_event(same, restarted, ignored), one);
        trials.note_made(one);
      }
    }
    ASSERT_EQ(steady.wall_time_is_over(), restarted.wall_time_is_over());
    EXPECT_EQ(to_json(steady.snapshot()), to_json(restarted.snapshot()));
  }
}

TEST(SearchProperty, IsAPureFunctionOfSeedAndEventsAcrossRestarts) {
  for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) run_case(seed);
}

TEST(SearchProperty, ASearchWithScoutsIsAPureFunctionToo) {
  for (std::uint64_t seed = 1; seed <= 3 && !HasFailure(); ++seed) run_case(seed, scouting_case);
}

TEST(SearchProperty, DependsOnTheSeed) {
  for (const SearcherConfig& config : {random_of(3, 0), halving_of({}), grid_of(2), single()}) {
    Searcher one(config, small_space(), 1), two(config, small_space(), 2);
    EXPECT_NE(one.start(), two.start());
  }
}

}  // namespace
}  // namespace dt::core
