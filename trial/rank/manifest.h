// manifest.json of a checkpoint: where training stood, and which files with which contents belong
// to it. It is written last, so a folder with a manifest is whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/value.h"
#include "trial/rank/files.h"
#include "trial/rank/sampler.h"

namespace dt::trial {

struct Manifest {
  std::int64_t step = 0;     // optimizer steps done
  DataPosition position;     // of the next sample
  std::int64_t samples = 0;  // of the training data, and their order's seed:
  std::int64_t seed = 0;
  std::int64_t batch = 0;
  int size = 1;             // ranks that wrote it
  double loss = 0;          // of the last step
  double lr_factor = 1;     // the schedule's, at the last step; for people
  Value optimizer;          // {type, steps: {parameter: n}}
  std::string trial_state;  // Trial::save_state()
  std::vector<ReportedFile> files;
  bool operator==(const Manifest&) const = default;
};

inline constexpr const char* manifest_name = "manifest.json";

Value to_value(const Manifest& manifest);
Result<Manifest> parse_manifest(const Value& value);
Result<Manifest> read_manifest(const std::string& folder);

}  // namespace dt::trial
