// Users, tokens and contexts.
#include "master/store/postgres_store.h"
#include "master/store/row_values.h"
#include "master/store/rows_read.h"
#include "master/store/transaction.h"

namespace dt::master {

namespace {

constexpr Statement owner_of_token{
    "owner_of_token",
    "SELECT u.name, u.admin FROM tokens t JOIN users u ON u.name = t.user_name "
    "AND md5(u.name) = md5(t.user_name) WHERE t.token_hash = $1"};
constexpr Statement insert_token{
    "insert_token",
    "INSERT INTO tokens (token_hash, user_name, label) SELECT $1::text, u.name, $3::text "
    "FROM users u WHERE u.name = $2 AND md5(u.name) = md5($2) "
    "ON CONFLICT (token_hash) DO UPDATE SET user_name = excluded.user_name, "
    "label = excluded.label"};
// Without a hash a user keeps the password he has.
constexpr Statement upsert_user{
    "upsert_user",
    "INSERT INTO users (name, admin, password_hash) VALUES ($1, $2::boolean, $3) "
    "ON CONFLICT (md5(name)) DO UPDATE SET admin = excluded.admin, "
    "password_hash = coalesce(nullif(excluded.password_hash, ''), users.password_hash)"};
constexpr Statement read_password_hash{
    "read_password_hash",
    "SELECT password_hash FROM users WHERE name = $1 AND md5(name) = md5($1)"};
constexpr Statement upsert_context{
    "upsert_context",
    "INSERT INTO contexts (hash, total_bytes, files) VALUES ($1, $2::bigint, $3::bigint) "
    "ON CONFLICT (hash) DO NOTHING"};
constexpr Statement read_context{"read_context",
                                 "SELECT hash, total_bytes, files FROM contexts WHERE hash = $1"};

}  // namespace

Result<User> PostgresStore::user_of_token(const std::string& token_hash) {
  return pool_->transact([&](Transaction& tx) -> Result<User> {
    const pqxx::result rows = tx.run(owner_of_token, storable(token_hash));
    if (rows.empty()) return not_found("no user has this token");
    return User{.name = text_in(rows[0], "name"), .admin = bool_in(rows[0], "admin")};
  });
}

Status PostgresStore::put_token(const std::string& token_hash, const std::string& user,
                                const std::string& label) {
  return pool_->run([&](Transaction& tx) -> Status {
    const pqxx::result stored = tx.run(insert_token, storable(token_hash), storable(user), storable(label));
    if (stored.affected_rows() == 0) return not_found("user ", user, " does not exist");
    return {};
  });
}

Status PostgresStore::put_user(const User& user, const std::string& password_hash) {
  return pool_->run([&](Transaction& tx) -> Status {
    tx.run(upsert_user, storable(user.name), user.admin, storable(password_hash));
    return {};
  });
}

Result<std::string> PostgresStore::password_hash(const std::string& user) {
  return pool_->transact([&](Transaction& tx) -> Result<std::string> {
    const pqxx::result rows = tx.run(read_password_hash, storable(user));
    if (rows.empty()) return not_found("user ", user, " does not exist");
    return text_in(rows[0], "password_hash");
  });
}

Status PostgresStore::put_context(const ContextInfo& context) {
  return pool_->run([&](Transaction& tx) -> Status {
    tx.run(upsert_context, storable(context.hash.value), context.bytes, context.files);
    return {};
  });
}

Result<ContextInfo> PostgresStore::context(const ContextHash& hash) {
  return pool_->transact([&](Transaction& tx) -> Result<ContextInfo> {
    const pqxx::result rows = tx.run(read_context, storable(hash.value));
    if (rows.empty()) return not_found("context ", hash, " is not stored");
    return ContextInfo{.hash = {text_in(rows[0], "hash")},
                       .bytes = integer_in(rows[0], "total_bytes"),
                       .files = integer_in(rows[0], "files")};
  });
}

}  // namespace dt::master
