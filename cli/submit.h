// Submitting an experiment: check the configuration, upload the context, create, follow.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/app.h"

namespace dt::cli {

struct Submission {
  std::string config_name;  // for messages: "asha.yaml"
  std::string config_yaml;
  std::vector<std::string> overrides;
  std::string context_folder;  // empty: none
  bool paused = false;
  bool follow = false;
};

// Prints every problem of the configuration at its line, and nothing is created then.
Result<Exit> submit(const App& app, const Submission& submission);

}  // namespace dt::cli
