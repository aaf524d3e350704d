// YAML text -> base::Value with the line of every key, so that an error can name its place.
// Scalars follow YAML 1.2's core schema (yes/no are strings, 1e-3 is a number); anchors and merge
// keys work; duplicate keys, other tags and several documents are errors. Depth limit 64.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/value.h"

namespace dt {

struct YamlDocument {
  Value value;
  std::map<std::string, int> lines;  // "searcher.max_trials" -> 12; list items are "labels[0]"

  // The line of the path, or of its nearest parent that has one; 0 if none.
  int line_of(const std::string& path) const;
};

struct YamlLimits {  // for configurations, which strangers send
  std::size_t max_bytes = 1 << 20;
  std::size_t max_values = 200'000;  // after aliases are expanded ("billion laughs")
};

Result<YamlDocument> parse_yaml(std::string_view text, YamlLimits limits = {});

}  // namespace dt
