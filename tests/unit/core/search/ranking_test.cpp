#include "core/search/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"

namespace dt::core {
namespace {

std::vector<SearchTrial> trials_of(const Ranking& ranking) {
  std::vector<SearchTrial> trials;
  for (const RungEntry& entry : ranking.list()) trials.push_back(entry.trial);
  return trials;
}

TEST(Ranking, PutsALaterEqualMetricFirst) {
  Ranking ranking;
  EXPECT_EQ(ranking.insert({.5, 0}), 0);
  EXPECT_EQ(ranking.insert({.5, 1}), 0);
  EXPECT_EQ(ranking.insert({.7, 2}), 2);
  EXPECT_EQ(trials_of(ranking), (std::vector<SearchTrial>{1, 0, 2}));
}

TEST(Ranking, PutsEqualMetricsByTrialWhenAsked) {
  Ranking ranking(Ranking::Ties::by_trial);
  EXPECT_EQ(ranking.insert({.5, 1}), 0);
  EXPECT_EQ(ranking.insert({.5, 2}), 1);
  EXPECT_EQ(ranking.insert({.5, 0}), 0);
  EXPECT_EQ(trials_of(ranking), (std::vector<SearchTrial>{0, 1, 2}));
}

// Against a plain sorted vector, over many blocks and with many equal metrics.
TEST(Ranking, IsASortedListWhateverIsInsertedAndErased) {
  Rng chance(7);
  for (const auto ties : {Ranking::Ties::later_first, Ranking::Ties::by_trial}) {
    Ranking ranking(ties);
    std::vector<RungEntry> plain;
    const auto before = [&](const RungEntry& a, const RungEntry& b) {
      return ranking.before(a, b);
    };
    for (int trial = 0; trial < 6000; ++trial) {
      const RungEntry entry{static_cast<double>(chance.between(0, 300)), trial};
      const auto place = std::lower_bound(plain.begin(), plain.end(), entry, before);
      ASSERT_EQ(ranking.insert(entry), place - plain.begin());
      plain.insert(place, entry);
      if (!chance.chance(30)) continue;
      const auto victim = chance.between(0, static_cast<std::int64_t>(plain.size()) - 1);
      ASSERT_EQ(ranking.at(victim), plain[static_cast<std::size_t>(victim)]);
      ranking.erase(plain[static_cast<std::size_t>(victim)]);
      plain.erase(plain.begin() + victim);
    }
    EXPECT_EQ(ranking.list(), plain);
  }
}

}  // namespace
}  // namespace dt::core
