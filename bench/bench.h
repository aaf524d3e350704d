// Measures a piece of work and prints one JSON line a figure, so that runs can be compared by
// programs. Each figure is the median of several runs: the machine has other things to do too.
#pragma once

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string_view>
#include <vector>

namespace dt::bench {

template <class Work>
double median_ms(Work work, int runs = 9) {
  std::vector<double> times_ms;
  for (int run = 0; run < runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    times_ms.push_back(taken.count());
  }
  std::nth_element(times_ms.begin(), times_ms.begin() + runs / 2, times_ms.end());
  return times_ms[static_cast<std::size_t>(runs / 2)];
}

inline void print_figure(std::string_view name, double value, std::string_view unit) {
  std::cout << R"({"figure":")" << name << R"(","value":)" << value << R"(,"unit":")" << unit
            << "\"}" << std::endl;
}

}  // namespace dt::bench
