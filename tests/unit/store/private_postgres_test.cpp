#include "master/store/private_postgres.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

// The whole life of one, in one test: making a cluster costs seconds.
TEST_F(Private, IsMadeRunsIsAdoptedStopsAndStartsAgain) {
  auto first = open();
  ASSERT_EQ("", first.status().text());
  EXPECT_FALSE(first->was_adopted());
  EXPECT_TRUE(first->is_running());
  const int pid = first->pid();

  // UTF-8, C locale, durable, no TCP.
  EXPECT_EQ("UTF8|C", ask(first->connection(),
                          "SELECT pg_encoding_to_char(encoding), datcollate FROM pg_database "
                          "WHERE datname = current_database()"));
  EXPECT_EQ("on|on||scram-sha-256",
            ask(first->connection(),
                "SELECT current_setting('fsync'), current_setting('synchronous_commit'), "
                "current_setting('listen_addresses'), current_setting('password_encryption')"));

  // A password is asked for, whoever comes; files and the socket's folder are private.
  std::string without = first->connection();
  const std::size_t at = without.find("password=");
  without.erase(at, without.find(' ', at) - at);
  EXPECT_NE(std::string::npos, ask(without, "SELECT 1").find("no password supplied"));
  EXPECT_EQ("0",
            ask(first->connection(),
                "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'"));
  EXPECT_EQ(0700u, mode("data"));
  EXPECT_EQ(0700u, mode("socket"));
  EXPECT_EQ(0600u, mode("password"));
  EXPECT_EQ(0600u, mode("service.conf"));
  if (geteuid() == 0) {
    struct stat process {};
    ASSERT_EQ(0, stat(cat("/proc/", pid).c_str(), &process));
    EXPECT_NE(0u, process.st_uid) << "PostgreSQL runs as root";
  }
  EXPECT_NE(getsid(0), getsid(pid)) << "it would get our terminal's signals";

  // The next master adopts it, with what was written.
  EXPECT_EQ("", ask(first->connection(), "CREATE TABLE kept (x integer)"));
  auto second = open();
  ASSERT_EQ("", second.status().text());
  EXPECT_TRUE(second->was_adopted());
  EXPECT_EQ(pid, second->pid());
  EXPECT_EQ("0", ask(second->connection(), "SELECT count(*) FROM kept"));

  // kill -9 of all of it, and start again.
  kill_and_wait(pid, SIGKILL);
  auto third = open();
  ASSERT_EQ("", third.status().text());
  EXPECT_FALSE(third->was_adopted());
  EXPECT_EQ("0", ask(third->connection(), "SELECT count(*) FROM kept"));

  ASSERT_EQ("", third->stop().text());
  EXPECT_FALSE(third->is_running());
  EXPECT_EQ("", third->stop().text()) << "twice is fine";
  EXPECT_FALSE(fs::exists(file("socket/.s.PGSQL.5432")));
  EXPECT_EQ("", third->start().text());
  EXPECT_EQ("0", ask(third->connection(), "SELECT count(*) FROM kept"));

  // What its own log says is part of the error.
  ASSERT_EQ("", third->stop().text());
  std::ofstream(file("local.conf")) << "shared_buffers = nonsense\n";
  const Status refused = third->start();
  EXPECT_NE(std::string::npos, refused.message().find("invalid value for parameter"))
      << refused.text();

  // Another version's folder is not touched.
  std::ofstream(file("data/PG_VERSION")) << "12\n";
  const Status old = open().status();
  EXPECT_EQ(Code::failed_precondition, old.code());
  EXPECT_EQ(0u, old.message().find("PostgreSQL 12 (initdb, pg_ctl, postgres) is not installed; "
                                   "there is "))
      << old.text();
  EXPECT_NE(std::string::npos, old.text().find("apt install postgresql-12"));
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
