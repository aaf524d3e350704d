// Transactions on PostgreSQL as values: the only place that catches libpqxx's exceptions. A piece
// of work gets a Transaction, its Status decides between commit and rollback, and what libpqxx
// throws becomes a Status (style: connection lost → unavailable, outcome of COMMIT not known →
// unknown, conflicts → aborted after three tries). A connection that broke is dropped with its idle
// companions; one that was dead before the work began is replaced without a word.
// Thread rule: Database may be used from any thread; a Transaction by the thread that runs the
// work.
//
//   constexpr Statement find_user{"find_user", "SELECT admin FROM users WHERE name = $1"};
//   return database.transact([&](Transaction& tx) -> Result<bool> {
//     const pqxx::result rows = tx.run(find_user, name);
//     …
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status.h"

namespace dt::master {

// Prepared on a connection at its first use there; the name must be unique in the program.
struct Statement {
  const char* name;
  const char* sql;
  const char* rest = "";  // follows `sql`, so that statements can share a list of columns
};

class Connection {
 public:
  explicit Connection(const std::string& text);

  pqxx::connection link;
  std::set<std::string> prepared;
  bool has_answered = false;  // in the present transaction
};

class Transaction {
 public:
  Transaction(Connection& connection, pqxx::work& work) : connection_(connection), work_(work) {}

  // Parameters: text (UTF-8 without NUL), integers, bools, nullptr.
  template <class... Parameters>
  pqxx::result run(const Statement& statement, const Parameters&... parameters) {
    return run_made(
        statement.name, [&] { return cat(statement.sql, statement.rest); }, parameters...);
  }

  // The same for a statement whose text is made at its first use.
  template <class MakeSql, class... Parameters>
  pqxx::result run_made(const std::string& name, const MakeSql& make_sql,
                        const Parameters&... parameters) {
    if (connection_.prepared.insert(name).second) connection_.link.prepare(name, make_sql());
    return answered(work_.exec_prepared(name, parameters...));
  }

  // The same with as many texts as parameters as there are.
  template <class MakeSql>
  pqxx::result run_listed(const std::string& name, const MakeSql& make_sql,
                          const std::vector<std::string>& parameters) {
    return run_made(name, make_sql, pqxx::prepare::make_dynamic_params(parameters));
  }

  // Several statements without parameters, as a migration has.
  pqxx::result run_script(const std::string& sql) { return answered(work_.exec(sql)); }

 private:
  pqxx::result answered(pqxx::result result) {
    connection_.has_answered = true;
    return result;
  }

  Connection& connection_;
  pqxx::work& work_;
};

class Database {
 public:
  // `folder`: where the database lies, if on this machine; empty: unknown.
  Database(std::string connection, int connections, std::string folder = {});
  ~Database();

  // Runs the work in one transaction. It may be run again after a conflict, so it must not keep
  // results of an earlier try.
  Status run(const std::function<Status(Transaction&)>& work);

  // How long the oldest of the transactions that run now has run.
  std::chrono::seconds longest_run() const;

  template <class Work>
  auto transact(const Work& work) -> std::invoke_result_t<const Work&, Transaction&> {
    using Answer = std::invoke_result_t<const Work&, Transaction&>;
    std::optional<Answer> answer;
    Status status = run([&](Transaction& tx) {
      answer.emplace(work(tx));
      return status_of(*answer);
    });
    if (!status.ok()) return status;
    return std::move(*answer);
  }

 private:
  enum class Retry { no, conflict, stale_connection };

  Result<std::unique_ptr<Connection>> take();
  void give_back(std::unique_ptr<Connection> connection);
  Status run_patiently(const std::function<Status(Transaction&)>& work);
  Status try_once(const std::function<Status(Transaction&)>& work, Retry& retry);

  const std::string connection_;
  const int connections_;
  const std::string folder_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<Connection>> idle_;  // guarded by mutex_
  int in_use_ = 0;                                 // guarded by mutex_
  std::multiset<std::chrono::steady_clock::time_point> begun_;  // guarded by mutex_
};

// One statement outside any transaction on a connection of its own (CREATE DATABASE).
Status run_alone(const std::string& connection, const std::string& sql);

// Calls `work` with a connection of its own that lives as long as the call (advisory locks); `work`
// may begin and commit transactions on it.
Status with_session(const std::string& connection,
                    const std::function<Status(pqxx::connection&)>& work);

}  // namespace dt::master
