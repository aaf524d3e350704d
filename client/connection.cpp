#include "client/connection.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "formats/json.h"

namespace dt::client {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string text_of(const Value& value) { return value.is_string() ? value.as_string() : ""; }

}  // namespace

std::string connection_file() {
  std::string config = environment("XDG_CONFIG_HOME");
  if (config.empty()) config = environment("HOME") + "/.config";
  return config + "/dovetail/connection.json";
}

Result<Connection> find_connection() {
  const std::string path = connection_file();
  Connection connection;
  Result<Connection> saved = read_connection(path);
  const bool has_address = !environment("DOVETAIL_MASTER").empty();
  if (saved.ok()) {
    connection = *saved;
  } else if (!has_address) {
    return failed_precondition("no master is known: there is no ", path)
        .with_hint("start one with dtctl local up, or run dtctl login --master HOST:PORT");
  }
  if (has_address) {
    connection.address = environment("DOVETAIL_MASTER");
    connection.token.clear();  // a saved token belongs to the saved address
  }
  if (const std::string token = environment("DOVETAIL_TOKEN"); !token.empty())
    connection.token = token;
  if (const std::string ca = environment("DOVETAIL_TLS_CA"); !ca.empty()) connection.tls_ca = ca;
  return connection;
}

Result<Connection> read_connection(const std::string& path) {
  std::ifstream file(path);
  if (!file) return not_found("cannot read ", path);
  std::ostringstream text;
  text << file.rdbuf();
  const Result<Value> value = parse_json(text.str());
  if (!value.ok()) return invalid_argument(path, ": ", value.status().message());
  return Connection{.address = text_of((*value)["address"]),
                    .token = text_of((*value)["token"]),
                    .tls_ca = text_of((*value)["tls_ca"])};
}

Status save_connection(const std::string& path, const Connection& connection) {
  const std::filesystem::path target(path);
  std::error_code error;
  std::filesystem::create_directories(target.parent_path(), error);
  if (error) return internal("making ", target.parent_path().string(), ": ", error.message());
  Value value;
  value.set("address", connection.address).set("token", connection.token);
  if (!connection.tls_ca.empty()) value.set("tls_ca", connection.tls_ca);
  const std::string text = to_json_pretty(value) + "\n";
  const std::string part = cat(path, ".part-", static_cast<int>(::getpid()));
  const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return internal("cannot make ", part);
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  if (!written) return internal("cannot write ", part);
  std::filesystem::rename(part, target, error);
  return error ? internal("renaming ", part, ": ", error.message()) : Status();
}

}  // namespace dt::client
