// One search behind dt-search's protocol: ours, in this process, or a peer's, in another.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/value.h"
#include "bench/search_problem.h"
#include "core/model/config.h"

namespace dt::bench {

constexpr int divisor = 3;  // of every halving here

class Player {
 public:
  virtual ~Player() = default;
  virtual void begin(const Problem& problem, int workers, int seed) = 0;  // a new search
  virtual Value say(const Value& request) = 0;
  virtual std::vector<Value> say_all(const std::vector<Value>& requests) = 0;
};

// asha_promote, asha_stop, random, tpe, hyperband_tpe, asha_promote_tpe.
std::unique_ptr<Player> own_player(const std::string& name);

// A program that speaks the protocol on its stdin and stdout, and takes lists of requests too.
Result<std::unique_ptr<Player>> peer_player(const std::vector<std::string>& command);

}  // namespace dt::bench
