#include "core/sched/pool_option.h"

#include <charconv>

#include "core/sched/schedule.h"

namespace dt::core {
namespace {

Status wrong(const std::string& key, const std::string& value, const std::string& hint) {
  return invalid_argument("pool option ", key, ": ", value.empty() ? "no value" : value)
      .with_detail({.subject = "--pool", .value = value, .hint = hint});
}

Result<double> number_of(const std::string& key, const std::string& value) {
  double number = 0;
  const auto end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number < 0) {
    return wrong(key, value, "a number of 0 or more is wanted");
  }
  return number;
}

Status set_scheduler(PoolConfig& config, const std::string& value) {
  const auto kind = scheduler_kind_of(value);
  if (!kind) return wrong("scheduler", value, "priority, fair_share, fifo or attained");
  if (*kind == SchedulerKind::backfill) {
    return wrong("scheduler", value,
                 "backfill needs run times, which a configuration does not tell; attained serves "
                 "short jobs early without them");
  }
  config.scheduler = *kind;
  return {};
}

Status set_fit(PoolConfig& config, const std::string& value) {
  const auto fit = fit_policy_of(value);
  if (!fit) return wrong("fit", value, "best, worst, random, fgd or fragmentation");
  config.fit = *fit;
  return {};
}

Status set_option(PoolConfig& config, const std::string& key, const std::string& value) {
  if (key == "scheduler") return set_scheduler(config, value);
  if (key == "fit") return set_fit(config, value);
  bool* flag = key == "preemption"      ? &config.preemption
               : key == "heterogeneous" ? &config.heterogeneous
                                        : nullptr;
  if (flag != nullptr) {
    if (!value.empty()) return wrong(key, value, "it takes no value");
    *flag = true;
    return {};
  }
  if (key == "level_minutes") {
    config.attained.level_pool_hours = {TRY(number_of(key, value)) / 60};
  } else if (key == "promote_hours") {
    config.attained.promote_after =
        Duration(static_cast<std::int64_t>(TRY(number_of(key, value)) * 3'600'000));
  } else if (key == "min_run_s") {
    config.attained.min_run =
        Duration(static_cast<std::int64_t>(TRY(number_of(key, value)) * 1000));
  } else {
    return wrong(key, value,
                 "known: scheduler, fit, preemption, heterogeneous, level_minutes, promote_hours, "
                 "min_run_s");
  }
  return {};
}

}  // namespace

Result<std::pair<std::string, PoolConfig>> parse_pool(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  std::pair<std::string, PoolConfig> pool{text.substr(0, colon), {}};
  if (pool.first.empty()) return wrong("name", text, "NAME or NAME:KEY=VALUE,… is wanted");
  for (std::size_t from = colon + 1; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, comma - from);
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string value = equals == word.size() ? "" : word.substr(equals + 1);
    TRY(set_option(pool.second, word.substr(0, equals), value));
    from = comma + 1;
  }
  return pool;
}

}  // namespace dt::core
