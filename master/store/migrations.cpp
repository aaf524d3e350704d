#include "master/store/migrations.h"

#include <pqxx/pqxx>

#include "master/store/transaction.h"

namespace dt::master {

namespace {

constexpr const char* lock_key = "7236261912345601";  // any number, the same in every version

Status check_server(pqxx::connection& link) {
  pqxx::nontransaction bracket(link);
  const int version = bracket.exec("SHOW server_version_num")[0][0].as<int>();
  if (version < 130000) {
    return failed_precondition("PostgreSQL ", version / 10000, " is too old")
        .with_hint("dovetail needs PostgreSQL 13 or later");
  }
  const auto encoding = bracket.exec("SHOW server_encoding")[0][0].as<std::string>();
  if (encoding != "UTF8") {
    return failed_precondition("the database's encoding is ", encoding, ", not UTF8")
        .with_hint("create it by: createdb --template=template0 --encoding=UTF8 NAME");
  }
  return {};
}

// The highest migration applied; 0 for a new database.
int version_of(pqxx::connection& link) {
  pqxx::work bracket(link);
  bracket.exec(
      "CREATE TABLE IF NOT EXISTS schema_version (version integer PRIMARY KEY, name text NOT NULL, "
      "applied_at timestamptz NOT NULL DEFAULT now())");
  const pqxx::result rows =
      bracket.exec("SELECT coalesce(max(version), 0) AS version FROM schema_version");
  const int version = rows[0]["version"].as<int>();
  bracket.commit();
  return version;
}

void apply(pqxx::connection& link, const Migration& migration) {
  pqxx::work bracket(link);
  bracket.exec(migration.sql);
  bracket.exec_params("INSERT INTO schema_version (version, name) VALUES ($1, $2)",
                      migration.version, migration.name);
  bracket.commit();
}

}  // namespace

Status migrate(const std::string& connection, const std::vector<Migration>& migrations) {
  return with_session(connection, [&](pqxx::connection& link) -> Status {
    TRY(check_server(link));
    {
      pqxx::nontransaction bracket(link);  // quiet about tables that exist already
      bracket.exec("SET client_min_messages TO warning");
      bracket.exec(cat("SELECT pg_advisory_lock(", lock_key, ")"));  // goes with the connection
    }
    const int present = version_of(link);
    const int known = migrations.empty() ? 0 : migrations.back().version;
    if (present > known) {
      return failed_precondition("the database's schema is version ", present,
                                 ", this dt-master knows only up to ", known)
          .with_hint("start the dt-master that made it, or a newer one");
    }
    for (const Migration& migration : migrations) {
      if (migration.version > present) apply(link, migration);
    }
    return {};
  });
}

}  // namespace dt::master
