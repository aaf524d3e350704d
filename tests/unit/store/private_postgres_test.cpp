#include "master/store/private_postgres.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "master/store/folder_lock.h"
#include "tests/unit/store/fixture.h"

namespace dt::master {
namespace {

namespace fs = std::filesystem;

class Private : public ::testing::Test {
 protected:
  ~Private() override { EXPECT_EQ("", PrivatePostgres::stop_in(folder.path()).text()); }

  Result<PrivatePostgres> open() { return PrivatePostgres::open({.data_dir = folder.path()}); }
  std::string file(const std::string& name) { return folder.path() + "/postgres/" + name; }
  mode_t mode(const std::string& name) {
    struct stat found {};
    EXPECT_EQ(0, lstat(file(name).c_str(), &found)) << name;
    return found.st_mode & 0777;
  }

  TemporaryFolder folder;
};

// Making a cluster costs seconds, so the life of one is one test, in chapters.
class Life : public Private {
 protected:
  // UTF-8, C locale, durable, no TCP.
  void settings_are_ours(const std::string& connection) {
    EXPECT_EQ("UTF8|C", ask(connection,
                            "SELECT pg_encoding_to_char(encoding), datcollate FROM pg_database "
                            "WHERE datname = current_database()"));
    EXPECT_EQ("on|on||scram-sha-256",
              ask(connection,
                  "SELECT current_setting('fsync'), current_setting('synchronous_commit'), "
                  "current_setting('listen_addresses'), current_setting('password_encryption')"));
  }

  // A password is asked for, whoever comes; files and the socket's folder are private.
  void nobody_else_gets_in(const std::string& connection) {
    std::string without = connection;
    const std::size_t at = without.find("password=");
    without.erase(at, without.find(' ', at) - at);
    EXPECT_NE(std::string::npos, ask(without, "SELECT 1").find("no password supplied"));
    EXPECT_EQ("1|0", ask(connection,
                         "SELECT count(*), count(*) FILTER (WHERE auth_method <> 'scram-sha-256') "
                         "FROM pg_hba_file_rules"));
    EXPECT_EQ(0700u, mode("data"));
    EXPECT_EQ(0700u, mode("socket"));
    EXPECT_EQ(0600u, mode("password"));
    EXPECT_EQ(0600u, mode("service.conf"));
  }

  // Its own session, or it would get our terminal's signals; never root.
  void process_is_apart(int pid) {
    EXPECT_NE(getsid(0), getsid(pid));
    struct stat process {};
    ASSERT_EQ(0, stat(cat("/proc/", pid).c_str(), &process));
    EXPECT_NE(0u, process.st_uid);
  }

  void log_is_part_of_the_error(PrivatePostgres& postgres) {
    std::ofstream(file("local.conf")) << "shared_buffers = nonsense\n";
    const Status refused = postgres.start();
    EXPECT_NE(std::string::npos, refused.message().find("invalid value for parameter"))
        << refused.text();
  }

  void other_versions_are_not_touched() {
    std::ofstream(file("data/PG_VERSION")) << "12\n";
    const Status old = open().status();
    EXPECT_EQ(Code::failed_precondition, old.code());
    EXPECT_EQ(0u, old.message().find("PostgreSQL 12 (initdb, pg_ctl, postgres) is not installed; "
                                     "there is "))
        << old.text();
    EXPECT_NE(std::string::npos, old.text().find("apt install postgresql-12"));
  }

  // The next master gets it as it is, with what was written.
  void opens_with_its_data(bool adopted) {
    auto postgres = open();
    ASSERT_EQ("", postgres.status().text());
    EXPECT_EQ(adopted, postgres->was_adopted());
    EXPECT_EQ("0", ask(postgres->connection(), "SELECT count(*) FROM kept"));
  }
};

TEST_F(Life, OfACluster) {
  auto postgres = open();
  ASSERT_EQ("", postgres.status().text());
  EXPECT_FALSE(postgres->was_adopted());
  const int pid = postgres->pid();
  settings_are_ours(postgres->connection());
  nobody_else_gets_in(postgres->connection());
  process_is_apart(pid);

  EXPECT_EQ("", ask(postgres->connection(), "CREATE TABLE kept (x integer)"));
  opens_with_its_data(true);
  EXPECT_EQ(pid, postgres->pid());
  kill_and_wait(pid, SIGKILL);
  EXPECT_FALSE(postgres->is_running());
  opens_with_its_data(false);

  ASSERT_EQ("", postgres->stop().text());
  EXPECT_FALSE(postgres->is_running());
  EXPECT_EQ("", postgres->stop().text()) << "twice is fine";
  EXPECT_FALSE(fs::exists(file("socket/.s.PGSQL.5432")));
  ASSERT_EQ("", postgres->start().text());
  opens_with_its_data(true);

  ASSERT_EQ("", postgres->stop().text());
  log_is_part_of_the_error(*postgres);
  other_versions_are_not_touched();
}

TEST_F(Private, IsFoundInAFolderWithALongName) {
  std::string path = folder.path();
  for (int i = 0; i < 3; i++) {
    path += "/" + std::string(40, 'x');
    fs::create_directories(path);
  }
  auto postgres = PrivatePostgres::open({.data_dir = path});
  ASSERT_EQ("", postgres.status().text());
  EXPECT_EQ("1", ask(postgres->connection(), "SELECT 1"));
  const std::string where = ask(postgres->connection(), "SHOW unix_socket_directories");
  EXPECT_LT(where.size(), 95u);
  EXPECT_EQ("", postgres->stop().text());
  fs::remove_all(where.substr(1, where.size() - 2));
}

TEST_F(Private, NeedsAFolderItsUserCanEnter) {
  if (geteuid() != 0) GTEST_SKIP() << "only root runs it as another user";
  chmod(folder.path().c_str(), 0700);
  const Status status = open().status();
  EXPECT_EQ(Code::failed_precondition, status.code());
  EXPECT_NE(std::string::npos, status.message().find(cat("may not enter ", folder.path())))
      << status.text();
}

TEST_F(Private, RefusesAUserThatDoesNotExist) {
  if (geteuid() != 0) GTEST_SKIP() << "only root runs it as another user";
  const Status status =
      PrivatePostgres::open({.data_dir = folder.path(), .run_as = "nobody-at-all"}).status();
  EXPECT_EQ("this machine has no user nobody-at-all", status.message());
}

TEST_F(Private, NeedsAnAbsolutePath) {
  EXPECT_EQ("the data folder 'here' is not an absolute path",
            PrivatePostgres::open({.data_dir = "here"}).status().message());
}

TEST_F(Private, ThatNeverWasIsStoppedWithoutAWord) {
  EXPECT_EQ("", PrivatePostgres::stop_in(folder.path() + "/none").text());
}

TEST_F(Private, FoldersAreLockedByOneMaster) {
  auto first = FolderLock::take(folder.path());
  ASSERT_EQ("", first.status().text());
  EXPECT_EQ(cat("another master works in ", folder.path(), ", process ", getpid(),
                " (stop it first, or name another data folder)"),
            FolderLock::take(folder.path()).status().text());
  { const FolderLock gone = std::move(first).value(); }
  EXPECT_EQ("", FolderLock::take(folder.path()).status().text());
}

TEST_F(Private, ThatIsKilledMakesItsStoreUnavailableUntilItIsBack) {
  auto postgres = open();
  ASSERT_EQ("", postgres.status().text());
  auto store = PostgresStore::open({.connection = postgres->connection()});
  ASSERT_EQ("", store.status().text());
  const core::LoopState next{.batch = 1, .incarnation = ""};
  ASSERT_TRUE((*store)->list_agents().ok());

  kill_and_wait(postgres->pid(), SIGKILL);
  // The processes that serve connections notice a moment later.
  while ((*store)->loop_state().ok() || (*store)->list_agents().ok()) std::this_thread::yield();

  EXPECT_EQ(Code::unavailable, (*store)->loop_state().status().code());
  EXPECT_EQ(Code::unavailable, (*store)->commit(next, {}).code());
  EXPECT_EQ(Code::unavailable, (*store)->list_agents().status().code());
  EXPECT_EQ(Code::unavailable, (*store)->ingest({1, 1}, {}).status().code());

  ASSERT_EQ("", postgres->start().text());
  EXPECT_EQ(0, (*store)->loop_state()->batch);
  EXPECT_EQ("", (*store)->commit(next, {}).text());
  EXPECT_TRUE((*store)->list_agents().ok());

  // A restart between two calls is not even noticed: nothing was under way.
  ASSERT_EQ("", postgres->stop().text());
  ASSERT_EQ("", postgres->start().text());
  EXPECT_EQ(1, (*store)->loop_state()->batch);
  EXPECT_TRUE((*store)->list_agents().ok());
}

}  // namespace
}  // namespace dt::master
