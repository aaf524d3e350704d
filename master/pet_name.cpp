#include "master/pet_name.h"

#include <array>

#include "base/cat.h"
#include "base/rng.h"

namespace dt::master {
namespace {

constexpr std::array moods = {"brave", "calm", "clever", "eager", "gentle", "keen", "lively", "merry",
                              "patient", "proud", "quick", "quiet", "steady", "sunny", "warm", "wise"};
constexpr std::array colours = {"amber", "azure", "blue", "coral", "copper", "golden", "green", "grey",
                                "indigo", "ivory", "olive", "pearl", "red", "rosy", "silver", "teal"};
constexpr std::array animals = {"badger", "beaver", "crane", "falcon", "finch", "fox", "heron", "lark",
                                "lynx", "marten", "newt", "otter", "raven", "seal", "stork", "wren"};

template <class Words>
std::string pick(Rng& rng, const Words& words) {
  return words[static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(words.size()) - 1))];
}

}  // namespace

std::string pet_name(std::uint64_t number) {
  Rng rng(number);
  const std::string mood = pick(rng, moods);
  const std::string colour = pick(rng, colours);
  return cat(mood, "-", colour, "-", pick(rng, animals));
}

}  // namespace dt::master
