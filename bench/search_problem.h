// What bench_search trains: a problem has configurations, each with a loss after every step. Two
// kinds: TaskSet's tables (search_tables.h) and the LCBench surrogate (search_surrogate.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace dt::bench {

// Of one search: which configuration each trial has, and its losses.
class Course {
 public:
  virtual ~Course() = default;
  // The next trial's configuration: of the point, or, where only stopping rules are compared
  // (`point` is empty), the next one of an order that depends on the seed alone.
  virtual int add(const std::vector<double>& point) = 0;
  virtual double loss(int trial, int step) = 0;  // after step 1, 2, …; may be no finite number
};

class Problem {
 public:
  virtual ~Problem() = default;
  virtual std::string name() const = 0;
  virtual int steps() const = 0;  // of a full training
  virtual int axes() const = 0;   // of a point, each in [0, 1]
  virtual int most_trials() const = 0;
  virtual double best() const = 0;  // of the last losses
  virtual double median() const = 0;
  virtual std::unique_ptr<Course> begin(int seed) const = 0;
};

using Problems = std::vector<std::unique_ptr<Problem>>;

}  // namespace dt::bench
