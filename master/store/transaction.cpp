#include "master/store/transaction.h"

#include <chrono>
#include <string_view>

#include "base/disk_space.h"

namespace dt::master {

namespace {

constexpr int tries = 3;
constexpr std::chrono::seconds wait_for_connection{10};

std::string words_of(const std::exception& problem) {
  std::string text = problem.what();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

Status status_of_sql_error(const pqxx::sql_error& problem) {
  const std::string words = words_of(problem);
  const std::string_view state = problem.sqlstate();
  // The server is going down, starting up, or cut us off.
  if (state.substr(0, 3) == "57P" || state.substr(0, 2) == "08") {
    return unavailable("the database went away: ", words);
  }
  if (state == "55P03" || state == "57014") return unavailable("the database is busy: ", words);
  return internal("database error ", std::string(state), ": ", words, " [", problem.query(), "]");
}

// Called in a catch block: what the present exception means. `folder`: where the database lies.
Status status_of_exception(const std::string& folder = {}) {
  try {
    throw;
  } catch (const pqxx::in_doubt_error& problem) {
    return Status(Code::unknown, cat("the outcome of a commit is not known: ", words_of(problem)));
  } catch (const pqxx::broken_connection& problem) {
    return unavailable("no connection to the database: ", words_of(problem));
  } catch (const pqxx::statement_completion_unknown& problem) {
    return Status(Code::unknown, cat("the outcome of a commit is not known: ", words_of(problem)));
  } catch (const pqxx::transaction_rollback& problem) {
    return aborted("conflict in the database: ", words_of(problem));
  } catch (const pqxx::unique_violation& problem) {
    return already_exists("already stored: ", words_of(problem));
  } catch (const pqxx::foreign_key_violation& problem) {
    return failed_precondition("refers to what is not stored: ", words_of(problem));
  } catch (const pqxx::restrict_violation& problem) {
    return failed_precondition("still referred to: ", words_of(problem));
  } catch (const pqxx::unexpected_rows& problem) {
    return not_found("not stored: ", words_of(problem));
  } catch (const pqxx::disk_full& problem) {
    const std::string what = cat("the database cannot write: ", words_of(problem));
    if (!folder.empty()) return no_space_left(what, folder);
    return resource_exhausted(what).with_hint("free space there; work goes on by itself");
  } catch (const pqxx::insufficient_resources& problem) {  // memory, connections
    return resource_exhausted("the database lacks resources: ", words_of(problem));
  } catch (const pqxx::insufficient_privilege& problem) {
    return permission_denied("the database refuses: ", words_of(problem));
  } catch (const pqxx::sql_error& problem) {
    return status_of_sql_error(problem);
  } catch (const std::exception& problem) {
    return internal("database library: ", words_of(problem));
  }
}

// An error of COMMIT is definite only if the server itself refused it.
Status status_of_failed_commit(Status status) {
  const bool undecided = status.code() == Code::unavailable || status.code() == Code::internal;
  if (!undecided) return status;
  return Status(Code::unknown, cat("the outcome of a commit is not known: ", status.message()));
}

}  // namespace

Connection::Connection(const std::string& text) : link(text) {
  pqxx::nontransaction bracket(link);
  bracket.exec("SET synchronous_commit TO on");  // whatever the server's default is
}

Database::Database(std::string connection, int connections, std::string folder)
    : connection_(std::move(connection)), connections_(connections), folder_(std::move(folder)) {}

Database::~Database() { VERIFY(in_use_ == 0, in_use_, " transactions outlive their database"); }

Result<std::unique_ptr<Connection>> Database::take() {
  {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_for(lock, wait_for_connection, [&] { return in_use_ < connections_; })) {
      return unavailable("all ", connections_, " database connections are busy");
    }
    in_use_++;
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  try {
    return std::make_unique<Connection>(connection_);
  } catch (...) {
    Status status = status_of_exception(folder_);
    give_back(nullptr);
    return status;
  }
}

void Database::give_back(std::unique_ptr<Connection> connection) {
  std::vector<std::unique_ptr<Connection>> dropped;
  {
    const std::scoped_lock lock(mutex_);
    in_use_--;
    if (connection != nullptr) {
      idle_.push_back(std::move(connection));
    } else {
      dropped.swap(idle_);  // where one broke the others did, most likely
    }
  }
  freed_.notify_one();
}

Status Database::try_once(const std::function<Status(Transaction&)>& work, Retry& retry) {
  retry = Retry::no;
  std::unique_ptr<Connection> connection = TRY(take());
  connection->has_answered = false;
  bool commits = false;
  Status status;
  bool healthy = true;
  try {
    pqxx::work bracket(connection->link);
    Transaction transaction(*connection, bracket);
    status = work(transaction);
    commits = status.ok();
    if (commits) bracket.commit();
  } catch (...) {
    status = status_of_exception(folder_);
    healthy = connection->link.is_open() && status.code() != Code::unavailable;
    if (!connection->has_answered && !healthy) retry = Retry::stale_connection;
    if (commits) status = status_of_failed_commit(std::move(status));
    if (!commits && !healthy && status.code() == Code::internal) {
      status = unavailable("the database went away: ", status.message());
    }
    if (status.code() == Code::aborted) retry = Retry::conflict;
  }
  if (!healthy) connection.reset();
  give_back(std::move(connection));
  return status;
}

std::chrono::seconds Database::longest_run() const {
  const std::scoped_lock lock(mutex_);
  if (begun_.empty()) return std::chrono::seconds(0);
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() -
                                                          *begun_.begin());
}

Status Database::run(const std::function<Status(Transaction&)>& work) {
  std::unique_lock lock(mutex_);
  const auto mine = begun_.insert(std::chrono::steady_clock::now());
  lock.unlock();
  const Status status = run_patiently(work);
  lock.lock();
  begun_.erase(mine);
  return status;
}

Status Database::run_patiently(const std::function<Status(Transaction&)>& work) {
  bool replaced = false;
  for (int attempt = 1;; attempt++) {
    Retry retry = Retry::no;
    Status status = try_once(work, retry);
    const bool again = (retry == Retry::conflict && attempt < tries) ||
                       (retry == Retry::stale_connection && !replaced);
    if (!again) return status;
    replaced |= retry == Retry::stale_connection;
  }
}

Status run_alone(const std::string& connection, const std::string& sql) {
  return with_session(connection, [&](pqxx::connection& link) {
    pqxx::nontransaction bracket(link);
    bracket.exec(sql);
    return Status();
  });
}

Status with_session(const std::string& connection,
                    const std::function<Status(pqxx::connection&)>& work) {
  try {
    pqxx::connection link(connection);
    return work(link);
  } catch (...) {
    return status_of_exception();
  }
}

}  // namespace dt::master
