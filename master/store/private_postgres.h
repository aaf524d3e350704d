// The private PostgreSQL of a master without --db: made, started and adopted in the master's data
// folder (DESIGN §2, Embedded default). It listens on a Unix socket in a 0700 folder only, asks for
// a password (scram), runs as an unprivileged user when the master is root, and outlives the
// master: open() adopts one that runs. The caller holds the data folder's lock (folder_lock.h)
// meanwhile.
//
//   PrivatePostgres postgres = TRY(PrivatePostgres::open({.data_dir = "/var/lib/dovetail"}));
//   auto store = TRY(PostgresStore::open({.connection = postgres.connection()}));
//
// Thread rule: one call at a time; the forks inside are safe beside other threads.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/status.h"
#include "master/store/postgres_programs.h"
#include "master/store/run_program.h"

namespace dt::master {

struct PrivatePostgresOptions {
  std::string data_dir;  // absolute; the cluster lives in data_dir/postgres
  // As root: who runs it; empty: the owner of an existing cluster, else the first of dovetail,
  // postgres, nobody that exists. Ignored when not root.
  std::string run_as;
  std::chrono::seconds start_timeout{60};
};

class PrivatePostgres {
 public:
  // Makes the cluster if there is none, starts it if it does not run, waits until it answers.
  static Result<PrivatePostgres> open(const PrivatePostgresOptions& options);

  // What libpq connects by, password included: never log it. `service_file()` (0600) holds the same
  // for people: PGSERVICEFILE=… psql service=dovetail.
  const std::string& connection() const { return connection_; }
  std::string service_file() const;
  bool was_adopted() const { return adopted_; }
  int pid() const;  // of the postmaster; 0: it does not run

  bool is_running() const { return pid() != 0; }
  Status start();  // after a stop or a crash
  Status stop();   // fast: clients are cut off, data is flushed

  // Of a data folder whose master may be gone (`dtctl local down`); ok when nothing runs there.
  static Status stop_in(const std::string& data_dir);

 private:
  PrivatePostgres(PrivatePostgresOptions options, OsUser user, PostgresPrograms programs);

  std::string folder(const char* name) const;  // of data_dir/postgres
  Status make_folders();
  Status make_cluster();
  Status make_database();
  Status write_settings();
  Status write_service_file();
  Status choose_socket_folder();
  Status wait_until_ready();
  Status run_pg_ctl(const std::vector<std::string>& words, const char* doing);
  std::string connection_to(const std::string& database) const;

  PrivatePostgresOptions options_;
  OsUser user_;
  PostgresPrograms programs_;
  std::string password_;
  std::string socket_folder_;
  std::string connection_;
  bool adopted_ = false;
};

}  // namespace dt::master
