#include "sim/oracle.h"

namespace dt::sim {

std::vector<OracleSection> config_sections() { return {}; }

}  // namespace dt::sim
