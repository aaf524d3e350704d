// What the store's tests share: one private PostgreSQL for the whole binary, made in a temporary
// folder, and a schema of its own for each test, so that tests cannot see each other. (Databases
// would do as well, but each is three hundred files.)
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "master/store/postgres_store.h"
#include "master/store/private_postgres.h"
#include "master/store/transaction.h"

namespace dt::master {

// A folder that goes with the object. Others may enter it: PostgreSQL may run as another user.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dt-store-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    chmod(path_.c_str(), 0711);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Sends the signal to a process that need not be our child, and waits until it is gone.
inline void kill_and_wait(int pid, int signal) {
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  VERIFY(handle >= 0 && kill(pid, signal) == 0, "process ", pid);
  pollfd waiting{.fd = handle, .events = POLLIN, .revents = 0};
  VERIFY(poll(&waiting, 1, 30'000) == 1, "process ", pid, " does not end");
  close(handle);
}

class Cluster {
 public:
  Cluster() {
    std::filesystem::create_directories(folder_.path() + "/postgres");
    std::ofstream(folder_.path() + "/postgres/local.conf") << "fsync = off\n";  // only tests
    auto opened = PrivatePostgres::open({.data_dir = folder_.path()});
    VERIFY(opened.ok(), opened.status().text());
    postgres_.emplace(std::move(opened).value());
  }
  ~Cluster() {  // its files go, so nothing needs to be flushed
    if (postgres_->is_running()) kill_and_wait(postgres_->pid(), SIGQUIT);
  }

  const std::string& connection() const { return postgres_->connection(); }
  // A connection whose tables are in a new, empty schema.
  std::string new_schema() {
    const std::string name = cat("test", ++schemas_);
    const Status made = run_alone(connection(), cat("CREATE SCHEMA ", name));
    VERIFY(made.ok(), made.text());
    return cat(connection(), " options='-c search_path=", name, "'");
  }

 private:
  TemporaryFolder folder_;
  std::optional<PrivatePostgres> postgres_;  // gone before its folder
  int schemas_ = 0;
};

inline Cluster& cluster() {
  static Cluster the_one;
  return the_one;
}

// Runs SQL and gives the answer as text: "a|b" a row, rows joined by newlines.
inline std::string ask(const std::string& connection, const std::string& sql) {
  std::string out;
  const Status status = with_session(connection, [&](pqxx::connection& link) {
    pqxx::nontransaction bracket(link);
    for (const auto& row : bracket.exec(sql)) {
      out += out.empty() ? "" : "\n";
      for (const auto& field : row) {
        out += cat(field.num() == 0 ? "" : "|", field.is_null() ? "null" : field.c_str());
      }
    }
    return Status();
  });
  return status.ok() ? out : cat("error: ", status.text());
}

inline core::ExperimentRow experiment_row(std::int64_t id) {
  return {.id = {id},
          .owner = "ada",
          .name = cat("experiment ", id),
          .config = Value::Object{{"searcher",
                                   Value::Object{{"metric", "loss"}, {"time_metric", "batches"}}}},
          .config_text = "name: e\n",
          .created_ms = 1000};
}

inline core::TrialRow trial_row(std::int64_t id, std::int64_t experiment = 1) {
  return {.id = {id},
          .experiment = {experiment},
          .number = static_cast<int>(id),
          .request_id = cat("request ", id),
          .seed = 4294967295u,
          .hparams = Value::Object{{"lr", 0.001}},
          .created_ms = 2000};
}

inline core::AllocationRow allocation_row(std::int64_t number, std::int64_t trial = 1,
                                          int attempt = 1) {
  return {.id = {.epoch = 1, .number = number},
          .trial = {trial},
          .experiment = {1},
          .attempt = attempt,
          .size = 2,
          .nodes = {{.agent = {"agent"}, .slot_ids = {"cpu0", "cpu1"}}},
          .created_ms = 3000};
}

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() : connection_(cluster().new_schema()) { store = open(); }

  std::string sql(const std::string& text) const { return ask(connection_, text); }

  std::unique_ptr<PostgresStore> open() const {
    auto opened = PostgresStore::open({.connection = connection_, .connections = 4});
    VERIFY(opened.ok(), opened.status().text());
    return std::move(opened).value();
  }

  // The next batch, as the loop would write it.
  Status write(const core::Writes& writes) {
    const Status status = store->commit({.batch = batch + 1, .incarnation = ""}, writes);
    if (status.ok()) batch++;
    return status;
  }

  // Experiment 1 with trial 1 and allocation 1.1, its first attempt.
  void begin_trial() {
    ASSERT_EQ("", write({.experiments = {experiment_row(1)},
                         .trials = {trial_row(1)},
                         .allocations = {allocation_row(1)}})
                      .text());
  }

  std::vector<SeriesInfo> series_of(std::int64_t trial) const {
    return store->list_series({.trials = {{trial}}}).value();
  }
  std::vector<Bucket> points_of(std::int64_t series) const {
    return store->series({.series = {series}}).value().front();
  }

  std::unique_ptr<PostgresStore> store;
  std::int64_t batch = 0;

 private:
  std::string connection_;
};

}  // namespace dt::master
