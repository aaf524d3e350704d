#include <cstdio>

#include "shim/launch.h"

int main(int argc, char** argv) {
  const auto options = dt::shim::parse_launch_arguments({argv + 1, argv + argc});
  if (!options.ok()) {
    std::fprintf(stderr, "dt-launch: %s\n", options.status().text().c_str());
    return 2;
  }
  if (options->help) {
    std::fputs(dt::shim::launch_usage, stdout);
    return 0;
  }
  return dt::shim::run_launch(*options);
}
