#include "sim/search_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "base/number.h"

namespace dt::sim {
namespace {

constexpr double worst = std::numeric_limits<double>::max();

int int_of(const Value& value, int fallback) {
  return value.is_int() ? static_cast<int>(value.as_int()) : fallback;
}

// single and random: so many at a time, each that ends is replaced, an invalid one does not count.
class RandomModel : public SearchModel {
 public:
  RandomModel(int most, int at_once, bool can_vary)
      : most_(most), at_once_(at_once > 0 ? std::min(at_once, most) : most), can_vary_(can_vary) {}

 private:
  void start() override { created_ = at_once_; }
  void validation(std::int64_t, double, std::int64_t) override {}
  void exited(std::int64_t, const std::string& reason) override {
    if (reason == "invalid_hp" && can_vary_) ++invalid_;
    if (created_ - invalid_ < most_) ++created_;
  }

  int most_;
  int at_once_;
  bool can_vary_;
  int invalid_ = 0;
};

// A grid replaces nothing: each point is tried once.
class GridModel : public SearchModel {
 public:
  GridModel(int points, int at_once)
      : points_(points), at_once_(at_once > 0 ? std::min(at_once, points) : points) {}

 private:
  void start() override { created_ = at_once_; }
  void validation(std::int64_t, double, std::int64_t) override {}
  void exited(std::int64_t, const std::string&) override {
    if (created_ < points_) ++created_;
  }

  int points_;
  int at_once_;
};

class HalvingModel : public SearchModel {
 public:
  HalvingModel(const Value& searcher, bool can_vary)
      : most_(int_of(searcher["max_trials"], 1)),
        divisor_(searcher["divisor"].is_number() ? searcher["divisor"].as_double() : 4),
        smaller_is_better_(searcher["smaller_is_better"] != Value(false)),
        can_vary_(can_vary) {
    const int rungs = int_of(searcher["num_rungs"], 1);
    const auto max_time = static_cast<double>(int_of(searcher["max_time"], 1));
    for (int i = 0; i < rungs; ++i) {
      const double units = std::floor(max_time / std::pow(divisor_, rungs - 1 - i));
      units_.push_back(std::max<std::int64_t>(static_cast<std::int64_t>(units), 1));
    }
    values_.resize(units_.size());
    const int at_once = int_of(searcher["max_concurrent_trials"], 16);
    const int enough = static_cast<int>(std::max(std::pow(divisor_, rungs - 1), 1.0));
    at_once_ = std::min(at_once > 0 ? at_once : enough, most_);
  }

 private:
  struct Climber {
    std::size_t rung = 0;
    std::map<std::size_t, double> metrics;
    bool open = true;
    bool ended = false;
  };

  void create() {
    climbers_.emplace_back();
    ++created_;
    ++open_;
  }

  void start() override {
    for (int i = 0; i < at_once_; ++i) create();
  }

  void leave(Climber& climber) {
    if (std::exchange(climber.open, false)) --open_;
  }

  void replace() {
    if (open_ < at_once_ && created_ - invalid_ < most_) create();
  }

  bool goes_on(Climber& climber, double metric) {
    std::vector<double>& rung = values_[climber.rung];
    const auto better =
        std::count_if(rung.begin(), rung.end(), [&](double other) { return other < metric; });
    rung.push_back(metric);
    climber.metrics[climber.rung] = metric;
    const auto places = static_cast<std::int64_t>(static_cast<double>(rung.size()) / divisor_);
    const bool top = climber.rung + 1 == units_.size();
    return !top && metric != worst && better < std::max<std::int64_t>(places, 1);
  }

  void validation(std::int64_t trial, double metric, std::int64_t time) override {
    Climber& climber = climbers_.at(static_cast<std::size_t>(trial));
    if (!climber.open) return;
    const double signed_metric = smaller_is_better_ ? metric : -metric;
    const double judged = std::isnan(metric) ? worst : signed_metric;
    while (time >= units_[climber.rung]) {
      if (goes_on(climber, judged)) {
        ++climber.rung;
        continue;
      }
      leave(climber);
      stopped_.insert(trial);
      return replace();
    }
  }

  void exited(std::int64_t trial, const std::string& reason) override {
    Climber& climber = climbers_.at(static_cast<std::size_t>(trial));
    if (reason == "completed" && stopped_.contains(trial)) return;
    if (reason == "invalid_hp") {
      for (const auto& [level, metric] : climber.metrics) {
        auto& rung = values_[level];
        rung.erase(std::find(rung.begin(), rung.end(), metric));
      }
      climber.metrics.clear();
      if (can_vary_) ++invalid_;
    } else if (reason != "completed" && !climber.metrics.contains(climber.rung)) {
      values_[climber.rung].push_back(worst);
      climber.metrics[climber.rung] = worst;
    }
    leave(climber);
    replace();
  }

  int most_;
  double divisor_;
  bool smaller_is_better_;
  bool can_vary_;
  int at_once_ = 1;
  std::vector<std::int64_t> units_;
  std::vector<std::vector<double>> values_;  // by rung
  std::vector<Climber> climbers_;
  int open_ = 0;
  int invalid_ = 0;
};

}  // namespace

void SearchModel::hear(const Value& event) {
  if (event["event"] == Value("start")) return start();
  const std::int64_t trial = event["trial"].as_int();
  if (event["event"] == Value("exited")) {
    if (!over_.insert(trial).second) return;
    exited(trial, event["reason"].as_string());
    ++closed_;
    return;
  }
  if (over_.contains(trial) || stopped_.contains(trial)) return;
  validation(trial, number_of(event["metric"]).value_or(0), event["time"].as_int());
}

std::unique_ptr<SearchModel> SearchModel::of(const Value& searcher, bool can_vary,
                                             std::int64_t grid_points) {
  const Value& name = searcher["name"];
  const bool is_limited =
      searcher["target_metric"].is_number() || searcher["max_wall_time_s"].is_int();
  if (is_limited) return nullptr;
  const int at_once = int_of(searcher["max_concurrent_trials"], 16);
  if (name == Value("single")) return std::make_unique<RandomModel>(1, 1, can_vary);
  if (name == Value("random")) {
    return std::make_unique<RandomModel>(int_of(searcher["max_trials"], 1), at_once, can_vary);
  }
  if (name == Value("grid")) {
    return std::make_unique<GridModel>(static_cast<int>(grid_points), at_once);
  }
  const bool stops = name == Value("async_halving") && searcher["promote"] != Value(true);
  return stops ? std::make_unique<HalvingModel>(searcher, can_vary) : nullptr;
}

}  // namespace dt::sim
