// Where this machine has PostgreSQL's server programs, and of which version.
#pragma once

#include <string>

#include "base/status.h"

namespace dt::master {

struct PostgresPrograms {
  std::string folder;  // holds initdb, pg_ctl and postgres
  int version = 0;     // 15
};

// The newest (at least 13), or the one that made an existing cluster if `version` is not 0. An
// error names the package to install.
Result<PostgresPrograms> find_postgres_programs(int version = 0);

}  // namespace dt::master
