#include "master/store/connection_text.h"

#include <array>
#include <utility>

namespace dt::master {

namespace {

constexpr std::array<std::pair<const char*, const char*>, 5> limits{{
    {"connect_timeout", "10"},
    {"keepalives_idle", "10"},
    {"keepalives_interval", "5"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "25000"},
}};

std::string joined(const char* separator) {
  std::string text;
  for (const auto& [name, value] : limits) {
    if (!text.empty()) text += separator;
    text += std::string(name) + "=" + value;
  }
  return text;
}

}  // namespace

// Of two values of one name libpq takes the later, so ours come first.
std::string with_network_limits(const std::string& connection) {
  const bool is_uri =
      connection.rfind("postgresql://", 0) == 0 || connection.rfind("postgres://", 0) == 0;
  if (!is_uri) return joined(" ") + " " + connection;
  const std::size_t question = connection.find('?');
  if (question == std::string::npos) return connection + "?" + joined("&");
  const std::string own = connection.substr(question + 1);
  return connection.substr(0, question + 1) + joined("&") + (own.empty() ? "" : "&" + own);
}

}  // namespace dt::master
