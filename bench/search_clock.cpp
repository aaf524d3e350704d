#include "bench/search_clock.h"

#include <algorithm>
#include <map>
#include <queue>

#include "base/number.h"

namespace dt::bench {

namespace {

class Clock {
 public:
  Clock(Player& player, const Problem& problem, Course& course, const Race& race)
      : player_(player), problem_(problem), course_(course), race_(race) {
    regrets_.assign(race.budgets.size(), nothing_trained);
  }

  std::vector<double> run() {
    const double end = static_cast<double>(race_.budgets.back() * problem_.steps());
    for (int worker = 0; worker < race_.workers; ++worker) idle_.push_back(worker);
    give_jobs(0);
    while (!events_.empty() && events_.top().time <= end) {
      const double now = events_.top().time;
      finish_steps(now);
      give_jobs(now);
    }
    return regrets_;
  }

 private:
  struct Event {
    double time = 0;
    int order = 0;  // of events at one time
    int worker = 0;
    std::int64_t trial = 0;
    bool operator>(const Event& other) const {
      return std::tie(time, order) > std::tie(other.time, other.order);
    }
  };
  struct Trial {
    int number = 0;  // in the course
    int steps = 0;
  };

  void give_jobs(double now) {
    while (!idle_.empty()) {
      const Value job = player_.say(Value::Object{{"op", "ask"}});
      if (job["resume"].is_int()) {
        start(job["resume"].as_int(), now + resume_steps);
      } else if (job["trial"].is_int()) {
        const std::vector<double> none;
        const int number = course_.add(race_.own_points ? point_of(job["hparams"]) : none);
        trials_[job["trial"].as_int()] = {.number = number};
        start(job["trial"].as_int(), now);
      } else {
        VERIFY(job["wait"].is_bool() || job["done"].is_bool(), "no job");
        return;
      }
    }
  }

  std::vector<double> point_of(const Value& hparams) const {
    std::vector<double> point;
    for (int axis = 0; axis < problem_.axes(); ++axis) {
      point.push_back(hparams[cat("x", axis)].as_double());
    }
    return point;
  }

  void start(std::int64_t trial, double now) {
    train(idle_.front(), trial, now);
    idle_.erase(idle_.begin());
  }

  void train(int worker, std::int64_t trial, double now) {
    events_.push({.time = now + 1, .order = order_++, .worker = worker, .trial = trial});
  }

  // All steps that end now; their reports go out together.
  void finish_steps(double now) {
    std::vector<Event> ended;
    std::vector<Value> reports;
    for (; !events_.empty() && events_.top().time == now; events_.pop()) {
      const Event& event = ended.emplace_back(events_.top());
      Trial& trial = trials_.at(event.trial);
      const double loss = course_.loss(trial.number, ++trial.steps);
      if (trial.steps == problem_.steps()) note_result(now, loss);
      reports.push_back(Value::Object{{"op", "report"},
                                      {"trial", event.trial},
                                      {"step", trial.steps},
                                      {"value", value_of_number(loss)}});
    }
    const std::vector<Value> answers = player_.say_all(reports);
    for (std::size_t i = 0; i < ended.size(); ++i) follow(ended[i], answers[i]["decision"]);
  }

  void follow(const Event& event, const Value& decision) {
    const bool ended = trials_.at(event.trial).steps == problem_.steps();
    if (decision == Value("continue") && !ended) {
      return train(event.worker, event.trial, event.time);
    }
    if (ended && decision != Value("stop")) {
      (void)player_.say(
          Value::Object{{"op", "exit"}, {"trial", event.trial}, {"reason", "completed"}});
    }
    idle_.push_back(event.worker);
  }

  void note_result(double now, double loss) {
    const double regret = (loss - problem_.best()) / (problem_.median() - problem_.best());
    for (std::size_t i = 0; i < regrets_.size(); ++i) {
      const bool in_time = now <= static_cast<double>(race_.budgets[i] * problem_.steps());
      if (in_time) regrets_[i] = std::min(regrets_[i], regret);
    }
  }

  Player& player_;
  const Problem& problem_;
  Course& course_;
  const Race& race_;
  std::vector<int> idle_;
  std::map<std::int64_t, Trial> trials_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  int order_ = 0;
  std::vector<double> regrets_;
};

}  // namespace

std::vector<double> regrets_of(Player& player, const Problem& problem, Course& course,
                               const Race& race) {
  return Clock(player, problem, course, race).run();
}

}  // namespace dt::bench
