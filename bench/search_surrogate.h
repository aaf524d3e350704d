// YAHPO's surrogate of LCBench (Pfisterer et al. 2022; Zimmer et al. 2021) for bench_search: a
// network that tells the validation accuracy of a fully connected net after 1 … 52 epochs for seven
// hyperparameters, on 34 data sets. The loss is 100 − accuracy. It is evaluated here, from the
// weights in its ONNX file; no runtime is needed.
#pragma once

#include <string>

#include "base/status.h"
#include "bench/search_problem.h"

namespace dt::bench {

// One problem a data set.
Result<Problems> load_surrogate(const std::string& onnx_file);

}  // namespace dt::bench
