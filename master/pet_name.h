// A name of three words for an experiment that was given none ("warm-amber-otter"), as Determined
// does. The same number gives the same name.
#pragma once

#include <cstdint>
#include <string>

namespace dt::master {

std::string pet_name(std::uint64_t number);

}  // namespace dt::master
