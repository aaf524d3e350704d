// The families of environment.family: what a framework expects in a rank's environment. Each family
// is one file in this folder and one line in family.cpp. Injecting by family only, because what one
// framework needs misleads another.
#pragma once

#include <string>

#include "base/id.h"

namespace dt::agent {

class Environment;

struct FamilyFacts {  // of one rank
  AllocationId allocation;
  int rank = 0;
  int local_rank = 0;
  int size = 1;
  int local_size = 1;
  int node_rank = 0;
  int nodes = 1;
  int restarts = 0;
  int restarts_max = 0;
};

struct Family {
  const char* name;
  void (*add)(const FamilyFacts& facts, Environment& environment);
};

// `auto`, and what is not known, is torch: harmless for any other program.
const Family& find_family(const std::string& name);

void add_none(const FamilyFacts& facts, Environment& environment);
void add_torch(const FamilyFacts& facts, Environment& environment);

}  // namespace dt::agent
