// Who is calling. A token is 256 random bits, shown once as 64 hex digits and stored as its BLAKE2b
// hash; passwords are Argon2id (libsodium). A rank's token needs no row: it is a keyed hash of its
// allocation's id, so it is bound to the allocation and dies with it. Safe from any thread.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/id.h"
#include "base/status.h"
#include "master/store/store.h"

namespace dt::master {

std::string make_token();
std::string token_hash(std::string_view token);
std::string hash_password(const std::string& password);
bool password_matches(const std::string& hash, const std::string& password);

// The name under which agents' tokens are kept; it may call the agent service and fetch contexts.
inline constexpr const char* agent_user = "agent";

struct Caller {
  std::string user;
  bool admin = false;
  bool is_agent() const { return user == agent_user; }
};

class Auth {
 public:
  // `secret`: 32 bytes in hex, kept in the data folder; rank tokens derive from it.
  Auth(Store& store, std::string secret);

  // Of "Bearer <token>" metadata. unauthenticated names the way out; results are kept a minute.
  Result<Caller> caller(std::string_view authorization);
  std::string rank_token(const AllocationId& allocation) const;
  // The same for the same request, so that a repeat is answered alike though no token is stored.
  std::string agent_token(std::string_view user, std::string_view request_id,
                          std::string_view name) const;

 private:
  Store& store_;
  const std::string secret_;
  std::mutex mutex_;
  std::map<std::string, std::pair<Caller, std::int64_t>> known_;  // guarded: hash -> until (s)
};

}  // namespace dt::master
