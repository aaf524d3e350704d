#include "master/auth.h"

#include <sodium.h>

#include <array>
#include <chrono>

namespace dt::master {
namespace {

constexpr std::int64_t remember_s = 60;
constexpr std::size_t remembered_max = 10'000;

void start_sodium() {
  static const int started = sodium_init();
  VERIFY(started >= 0, "libsodium does not start");
}

std::string to_hex(const unsigned char* data, std::size_t bytes) {
  std::string hex(bytes * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), data, bytes);
  hex.pop_back();
  return hex;
}

std::string blake2b(std::string_view text, std::string_view key) {
  start_sodium();
  std::array<unsigned char, 32> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), reinterpret_cast<const unsigned char*>(key.data()), key.size());
  return to_hex(hash.data(), hash.size());
}

std::int64_t steady_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

std::string make_token() {
  start_sodium();
  std::array<unsigned char, 32> bits{};
  randombytes_buf(bits.data(), bits.size());
  return to_hex(bits.data(), bits.size());
}

std::string token_hash(std::string_view token) { return blake2b(token, ""); }

std::string hash_password(const std::string& password) {
  start_sodium();
  std::array<char, crypto_pwhash_STRBYTES> hash{};
  const int failed = crypto_pwhash_str(hash.data(), password.data(), password.size(),
                                       crypto_pwhash_OPSLIMIT_INTERACTIVE,
                                       crypto_pwhash_MEMLIMIT_INTERACTIVE);
  VERIFY(failed == 0, "no memory for a password hash");
  return hash.data();
}

bool password_matches(const std::string& hash, const std::string& password) {
  start_sodium();
  return crypto_pwhash_str_verify(hash.c_str(), password.data(), password.size()) == 0;
}

Auth::Auth(Store& store, std::string secret) : store_(store), secret_(std::move(secret)) {}

Result<Caller> Auth::caller(std::string_view authorization) {
  constexpr std::string_view bearer = "Bearer ";
  if (!authorization.starts_with(bearer)) {
    return unauthenticated("this call needs a token").with_hint("run dtctl login");
  }
  const std::string hash = token_hash(authorization.substr(bearer.size()));
  const std::int64_t now_s = steady_s();
  {
    const std::lock_guard lock(mutex_);
    const auto it = known_.find(hash);
    if (it != known_.end() && it->second.second > now_s) return it->second.first;
  }
  const Result<User> user = store_.user_of_token(hash);
  if (!user.ok() && user.status().code() == Code::not_found) {
    return unauthenticated("the token is not known to this master")
        .with_hint("run dtctl login, or take the token that dtctl local up left");
  }
  const User known = TRY(Result<User>(user));
  const Caller caller{.user = known.name, .admin = known.admin};
  const std::lock_guard lock(mutex_);
  if (known_.size() >= remembered_max) known_.clear();
  known_[hash] = {caller, now_s + remember_s};
  return caller;
}

std::string Auth::rank_token(const AllocationId& allocation) const {
  return blake2b("rank " + to_text(allocation), secret_.substr(0, 64));
}

std::string Auth::agent_token(std::string_view user, std::string_view request_id,
                              std::string_view name) const {
  if (request_id.empty()) return make_token();
  return blake2b(cat("agent ", token_hash(user), token_hash(request_id), token_hash(name)),
                 secret_.substr(0, 64));
}

}  // namespace dt::master
