#include "agent/family/family.h"

#include <algorithm>
#include <array>

namespace dt::agent {

namespace {

constexpr std::array families{
    Family{"torch", add_torch},  // the first is the default
    Family{"none", add_none},
};

}  // namespace

const Family& find_family(const std::string& name) {
  const auto found = std::find_if(families.begin(), families.end(),
                                  [&](const Family& family) { return name == family.name; });
  return found == families.end() ? families.front() : *found;
}

}  // namespace dt::agent
