// Migrations: once, in order, never backwards; and what they make, as text.
#include <cstdlib>
#include <fstream>
#include <future>
#include <sstream>

#include "master/store/migrations.h"
#include "tests/unit/store/fixture.h"

namespace dt::master {
namespace {

class Schema : public ::testing::Test {
 protected:
  std::string connection = cluster().new_schema();
  std::string sql(const std::string& text) { return ask(connection, text); }
};

TEST_F(Schema, IsMadeOnceHoweverOftenItIsAskedFor) {
  ASSERT_EQ("", migrate(connection, embedded_migrations()).text());
  ASSERT_EQ("", migrate(connection, embedded_migrations()).text());
  EXPECT_EQ(cat(embedded_migrations().size()), sql("SELECT count(*) FROM schema_version"));
}

TEST_F(Schema, IsMadeOnceByManyAtOnce) {
  std::vector<std::future<Status>> results;
  for (int i = 0; i < 4; i++) {
    results.push_back(
        std::async(std::launch::async, [&] { return migrate(connection, embedded_migrations()); }));
  }
  for (auto& result : results) EXPECT_EQ("", result.get().text());
  EXPECT_EQ("1", sql("SELECT count(*) FROM schema_version WHERE version = 1"));
}

TEST_F(Schema, NewerThanTheProgramIsRefused) {
  ASSERT_EQ("", migrate(connection, embedded_migrations()).text());
  ASSERT_EQ("", sql("INSERT INTO schema_version (version, name) VALUES (99, 'of the future')"));
  const auto opened = PostgresStore::open({.connection = connection});
  EXPECT_EQ(
      cat("the database's schema is version 99, this dt-master knows only up to ",
          embedded_migrations().size(), " (start the dt-master that made it, or a newer one)"),
      opened.status().text());
  EXPECT_EQ(Code::failed_precondition, opened.status().code());
}

TEST_F(Schema, GrowsByTheNextMigrationAlone) {
  const Migration one{.version = 1, .name = "one", .sql = "CREATE TABLE a (x integer)"};
  const Migration two{.version = 2, .name = "two", .sql = "ALTER TABLE a ADD y integer"};
  ASSERT_EQ("", migrate(connection, {one}).text());
  ASSERT_EQ("", migrate(connection, {one, two}).text());
  EXPECT_EQ("1|one\n2|two", sql("SELECT version, name FROM schema_version ORDER BY version"));
}

TEST_F(Schema, IsLeftAloneByAMigrationThatFails) {
  const Migration bad{.version = 1, .name = "bad", .sql = "CREATE TABLE a (x integer); SELECT 1/0"};
  EXPECT_FALSE(migrate(connection, {bad}).ok());
  EXPECT_EQ("0", sql("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND "
                     "tablename = 'a'"));
  EXPECT_EQ("0", sql("SELECT count(*) FROM schema_version"));
}

TEST_F(Schema, NeedsUtf8) {
  const std::string make = "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'";
  ASSERT_EQ("", run_alone(connection, make).text());
  const std::string present = "dbname=dovetail";
  connection.replace(connection.find(present), present.size(), "dbname=latin");
  EXPECT_EQ("the database's encoding is LATIN1, not UTF8",
            migrate(connection, embedded_migrations()).message());
}

TEST_F(Schema, OfAServerThatIsNotThereIsUnavailable) {
  const auto opened =
      PostgresStore::open({.connection = "host=/nonexistent user=a dbname=b connect_timeout=2"});
  EXPECT_EQ(Code::unavailable, opened.status().code());
}

TEST_F(Schema, IsReachedByAUriToo) {
  const auto value_of = [&](const std::string& key) {
    const std::size_t start = connection.find(key + "=") + key.size() + 1;
    return connection.substr(start, connection.find(' ', start) - start);
  };
  std::string host;
  for (const char c : value_of("host")) host += c == '/' ? "%2F" : std::string(c != '\'', c);
  const std::string uri = cat("postgresql://dovetail:", value_of("password"), "@", host,
                              "/dovetail?options=-c%20search_path%3D", sql("SHOW search_path"));
  const auto opened = PostgresStore::open({.connection = uri});
  ASSERT_EQ("", opened.status().text());
  EXPECT_EQ(0, opened.value()->loop_state()->batch);
  EXPECT_EQ(cat(embedded_migrations().size()), sql("SELECT count(*) FROM schema_version"));
}

// Everything a fresh database has, one line each.
std::string description(const std::string& connection) {
  const std::string columns =
      ask(connection,
          "SELECT format('column %s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, "
          "a.atttypmod), CASE WHEN a.attnotnull THEN ' not null' END, "
          "CASE WHEN d.adbin IS NOT NULL THEN ' default ' || pg_get_expr(d.adbin, d.adrelid) END) "
          "FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
          "LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum "
          "WHERE c.relnamespace = current_schema()::text::regnamespace AND c.relkind IN ('r', 'v') "
          "ORDER BY c.relkind, c.relname, a.attnum");
  const std::string constraints =
      ask(connection,
          "SELECT format('constraint %s %s', conrelid::regclass, pg_get_constraintdef(oid)) "
          "FROM pg_constraint WHERE contype <> 'n' "
          "AND connamespace = current_schema()::text::regnamespace "
          "ORDER BY conrelid::regclass::text, conname");
  const std::string indexes =
      ask(connection,
          "SELECT replace(indexdef, current_schema() || '.', '') FROM pg_indexes WHERE schemaname "
          "= current_schema() ORDER BY indexname");
  return cat(columns, "\n", constraints, "\n", indexes, "\n");
}

TEST_F(Schema, IsAsItsFileSays) {
  const std::string path = cat(DT_SOURCE_DIR, "/sql/schema.txt");
  ASSERT_EQ("", migrate(connection, embedded_migrations()).text());
  const std::string now = description(connection);
  if (std::getenv("UPDATE_SCHEMA") != nullptr) std::ofstream(path) << now;
  std::ifstream file(path);
  std::ostringstream then;
  then << file.rdbuf();
  EXPECT_EQ(then.str(), now) << "run with UPDATE_SCHEMA=1 and review the difference";
}

}  // namespace
}  // namespace dt::master
