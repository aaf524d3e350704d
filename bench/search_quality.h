// How good the searches are. Ours and the peers' run through the same protocol (dt-search's JSON
// lines) and the same simulated clock, on the same problems and seeds: stopping rules with the same
// configurations in the same order, model-based searches with points of their own.
#pragma once

#include <string>

#include "base/status.h"

namespace dt::bench {

struct QualityOptions {
  std::string data;     // a folder of TaskSet files, or one with taskset/ and lcbench/
  std::string python;   // has the peers' packages; empty: only ours run
  std::string peers;    // the script that is the peers
  std::string lcbench;  // the surrogate's file; empty: without
  int seeds = 0;        // 0: 30, of the tables 60, or 36 if quick
  int workers = 0;      // 0: 4, then 16
  bool quick = false;   // no budget above 12, fewer peers
};

// Prints a JSON line a comparison: for each number of workers, peer and budget, and pooled.
Status measure_quality(const QualityOptions& options);

}  // namespace dt::bench
