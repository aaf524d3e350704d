// What was wrong with a command line: names the word, the one that was probably meant, and the help
// to read. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

#include "base/status.h"

namespace dt::cli {

// A whole number that is not smaller; CLI11's own check names a range of 300 digits.
CLI::Validator at_least(std::int64_t least);

Status wrong_usage(const CLI::App& root, const CLI::ParseError& error);

}  // namespace dt::cli
