// The schema's migrations (sql/NNNN_*.sql, embedded at build time) and their application: one
// transaction each, under an advisory lock, so that two masters that start at once do not both try.
// A database that is newer than this program is refused. Thread rule: none; one connection a call.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace dt::master {

struct Migration {
  int version = 0;
  std::string name;  // "0001_init"
  std::string sql;
};

// Those of this program, from 1 without gaps.
const std::vector<Migration>& embedded_migrations();

Status migrate(const std::string& connection, const std::vector<Migration>& migrations);

}  // namespace dt::master
