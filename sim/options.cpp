#include "sim/options.h"

#include <algorithm>

namespace dt::sim {
namespace {

constexpr std::array<const char*, fault_kinds> names{"cut",
                                                     "stall",
                                                     "lost calls",
                                                     "agent crash",
                                                     "agent leaves",
                                                     "agent stopped",
                                                     "agent twin",
                                                     "agent forgotten",
                                                     "shim kill",
                                                     "rank kill",
                                                     "rank slow",
                                                     "rank reconnects",
                                                     "rank unkillable",
                                                     "power loss",
                                                     "slow disk",
                                                     "slot fault",
                                                     "master crash",
                                                     "master stopped",
                                                     "database away",
                                                     "database slow",
                                                     "commit unknown",
                                                     "clock jump"};

template <class Item, std::size_t count>
Item one_of(Rng& dice, const std::array<Item, count>& items) {
  return items[static_cast<std::size_t>(dice.between(0, count - 1))];
}

core::PoolConfig draw_pool(Rng& dice) {
  using core::FitPolicy;
  using core::SchedulerKind;
  constexpr std::array kinds{SchedulerKind::priority, SchedulerKind::priority,
                             SchedulerKind::priority, SchedulerKind::fair_share,
                             SchedulerKind::fifo,     SchedulerKind::backfill,
                             SchedulerKind::attained};
  constexpr std::array fits{FitPolicy::best, FitPolicy::best, FitPolicy::worst, FitPolicy::fgd,
                            FitPolicy::fragmentation};
  core::PoolConfig pool{.scheduler = one_of(dice, kinds), .preemption = dice.chance(60)};
  pool.fit = one_of(dice, fits);
  pool.heterogeneous = dice.chance(25);
  return pool;
}

// Most nodes of a pool are alike, so that gangs over several of them fit.
void draw_nodes(Rng& dice, Options& options) {
  constexpr std::array names_of_pools{"default", "large", "small"};
  const std::int64_t most = options.scale.agents >= 6 ? 3 : 1;
  const auto pools = static_cast<std::size_t>(dice.between(1, most));
  std::vector<int> slots;
  options.master.pools.clear();
  for (std::size_t i = 0; i < pools; ++i) {
    options.master.pools.emplace(names_of_pools[i], draw_pool(dice));
    slots.push_back(static_cast<int>(dice.between(1, 4)));
  }
  for (int i = 0; i < options.scale.agents; ++i) {
    const std::size_t pool = static_cast<std::size_t>(i) % pools;
    const int usual = slots[pool];
    options.nodes.push_back(
        {.pool = names_of_pools[pool], .slots = dice.chance(85) ? usual : 1 + i % 3});
  }
}

}  // namespace

const char* to_text(Fault fault) { return names[static_cast<std::size_t>(fault)]; }

Options draw_options(std::uint64_t seed, const Scale& scale) {
  Rng dice(seed * 7919 + 17);
  constexpr std::array<std::int64_t, 6> leases{0, 20'000, 30'000, 60'000, 60'000, 180'000};
  constexpr std::array<std::int64_t, 3> prepare{30'000, 120'000, 1'800'000};
  constexpr std::array<std::int64_t, 3> upload{60'000, 300'000, 1'800'000};
  Options options{.seed = seed, .scale = scale};
  options.master.agent_lease = Duration(one_of(dice, leases));
  options.master.prepare_timeout = Duration(one_of(dice, prepare));
  options.master.upload_timeout = Duration(one_of(dice, upload));
  // A lease that never ends waits for a twin for ever, until people say that it is gone.
  options.twins = options.master.agent_lease == Duration(0) ? 0 : 1;
  constexpr std::array<std::int64_t, 3> keep{1'000, 60'000, 600'000};
  options.keep_acknowledged = Duration(one_of(dice, keep));
  draw_nodes(dice, options);
  // A larger world has more that can go wrong.
  const std::int64_t nodes = std::max(scale.agents, 2);
  options.mean_gap = Duration(dice.between(60'000, 240'000) / std::min<std::int64_t>(nodes, 12));
  for (int& weight : options.weights) {
    weight = dice.chance(25) ? 0 : static_cast<int>(dice.between(1, 10));
  }
  for (int fault = 0; fault < fault_kinds; ++fault) {
    const auto kind = static_cast<Fault>(fault);
    const bool of_rank = kind >= Fault::shim_kill && kind <= Fault::rank_unkillable;
    options.weights[static_cast<std::size_t>(fault)] *= of_rank ? 2 : 1;  // each strikes one alone
  }
  // Never an empty mix, and always some of what only a long chain of events shows.
  options.weights[static_cast<std::size_t>(Fault::cut)] += 2;
  options.weights[static_cast<std::size_t>(Fault::stall)] += 2;
  return options;
}

}  // namespace dt::sim
