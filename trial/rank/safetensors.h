// The safetensors format: a length, a JSON header, raw little-endian data. Everybody reads it and
// reading it runs no code. Knows nothing of torch: a tensor is a type name, a shape and bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trial/rank/files.h"

namespace dt::trial {

struct TensorBytes {
  std::string dtype;  // "F32", "BF16", "I64", "U8", …
  std::vector<std::int64_t> shape;
  std::string_view data;  // not owned
  bool operator==(const TensorBytes&) const = default;
};

using NamedTensors = std::map<std::string, TensorBytes>;

Result<ReportedFile> write_safetensors(const std::string& folder, const std::string& name,
                                       const NamedTensors& tensors);
// The views point into `text`. Every bound is checked.
Result<NamedTensors> parse_safetensors(std::string_view text);

}  // namespace dt::trial
