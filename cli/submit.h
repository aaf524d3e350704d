// Submitting an experiment: check the configuration, upload the context, create, follow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/app.h"
#include "dovetail/v1/experiment.pb.h"

namespace dt::cli {

struct Submission {
  std::string config_name;  // for messages: "asha.yaml"
  std::string config_yaml;
  std::string base_yaml;  // what it lies on top of; empty: nothing
  std::vector<std::string> overrides;
  std::string context_folder;  // empty: none
  bool paused = false;
  bool follow = false;
  // Of a fork: its context is used unless there is a folder, and it is told where the code is from.
  std::optional<::dovetail::v1::Experiment> parent;
};

Result<std::string> read_text(const std::string& path);  // of a configuration
// "asha.yaml:12: searcher.max_trials: must be > 0, got -3", on stderr.
void print_problem(const std::string& config_name,
                   const ::dovetail::v1::ConfigProblem& problem);
void print_warning(const std::string& warning);

// Prints every problem of the configuration at its line, and nothing is created then.
Result<Exit> submit(const App& app, const Submission& submission);

}  // namespace dt::cli
