// The parts of bench_scheduler.
#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace dt::bench {

struct OpenbOptions {
  std::string pods, nodes;  // CSV files of Alibaba's openb format
  std::string policy;       // empty: all
  int first_seed = 42, last_seed = 51;
};
Status replay_openb(const OpenbOptions& options);

struct PhillySlice {
  std::string cluster;
  int slots = 0;
};
struct PhillyOptions {
  std::string jobs;                 // CSV: timestamp, duration in s, GPUs, GPU seconds, cluster
  std::vector<PhillySlice> slices;  // empty: three contended ones
  int node_slots = 0;               // 0: one flat pool
  bool settings = false;            // try many settings of the policies instead
};
Status replay_philly(const PhillyOptions& options);

void time_scheduler();

// The fields of each line after the first, which names them; quotes do not occur in these files.
inline Result<std::vector<std::vector<std::string>>> read_csv(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return not_found("cannot read ", path, "; name the folder by --data DIR or DT_BENCH_DATA");
  }
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t from = 0; from <= line.size();) {
      const std::size_t comma = std::min(line.find(',', from), line.size());
      row.push_back(line.substr(from, comma - from));
      from = comma + 1;
    }
  }
  return rows;
}

}  // namespace dt::bench
