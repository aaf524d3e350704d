#include "agent/family/family.h"

namespace dt::agent {

// A program that knows no framework gets Dovetail's own variables only.
void add_none(const FamilyFacts&, Environment&) {}

}  // namespace dt::agent
