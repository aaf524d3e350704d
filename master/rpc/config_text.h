// Configurations as users send them: YAML with overrides on top, and what is wrong with it, each
// problem with its line.
#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <string>
#include <vector>

#include "base/status.h"
#include "core/master/master.h"
#include "core/model/config.h"
#include "dovetail/v1/experiment.pb.h"
#include "formats/yaml.h"
#include "master/clock.h"

namespace dt::master {

using Overrides = google::protobuf::RepeatedPtrField<std::string>;  // "searcher.max_trials=8"
using ConfigProblems = google::protobuf::RepeatedPtrField<::dovetail::v1::ConfigProblem>;

// "max_restarts=9" as path and value.
Result<core::Overrides> parse_overrides(const Overrides& overrides);
// `base`: a configuration that the text lies on top of (core/model/merge_config.h); empty: none.
Result<YamlDocument> read_config(const std::string& text, const Overrides& overrides,
                                 const std::string& base = {});

// Every problem of the text; empty: `document` is a valid configuration.
std::vector<Status> check_text(const Result<YamlDocument>& document);
void add_problems(const std::vector<Status>& problems, ConfigProblems& out);
// One Status that tells all of them, a line each; its detail is the first one's.
Status join_problems(const std::vector<Status>& problems);

core::ConfigDefaults defaults_now(const Clock& clock);

}  // namespace dt::master
