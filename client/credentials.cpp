#include "client/credentials.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

namespace dt::client {

namespace {

constexpr const char* hint = "dtctl login, or dtctl local up for a cluster on this machine";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// "name = value" lines; what is not understood is left to newer versions.
std::map<std::string, std::string> read_lines(std::istream& file) {
  std::map<std::string, std::string> values;
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find(" = ");
    if (equals != line.npos) values[line.substr(0, equals)] = line.substr(equals + 3);
  }
  return values;
}

Status write_private(const std::string& path, const std::string& text) {
  const std::string temporary = cat(path, ".new.", getpid());
  const int file = open(temporary.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return unavailable("cannot write ", temporary, ": ", std::strerror(errno));
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       fsync(file) == 0;
  close(file);
  if (written && rename(temporary.c_str(), path.c_str()) == 0) return {};
  const Status status = unavailable("cannot write ", path, ": ", std::strerror(errno));
  unlink(temporary.c_str());
  return status;
}

}  // namespace

std::string credentials_path() {
  if (const std::string path = variable("DT_CREDENTIALS"); !path.empty()) return path;
  if (const std::string config = variable("XDG_CONFIG_HOME"); !config.empty()) {
    return config + "/dovetail/credentials";
  }
  return variable("HOME") + "/.config/dovetail/credentials";
}

Result<Credentials> load_credentials(const std::string& path) {
  std::ifstream file(path);
  auto values = read_lines(file);
  Credentials credentials{.address = values["address"],
                          .http_address = values["http_address"],
                          .user = values["user"],
                          .token = values["token"],
                          .tls_ca = values["tls_ca"]};
  if (const std::string address = variable("DT_MASTER"); !address.empty()) {
    credentials.address = address;
  }
  if (const std::string token = variable("DT_TOKEN"); !token.empty()) credentials.token = token;
  if (!credentials.address.empty() && !credentials.token.empty()) return credentials;
  if (!file.is_open()) {
    return unauthenticated("no master is known: ", path, " cannot be read").with_hint(hint);
  }
  return unauthenticated(path, " names no ", credentials.address.empty() ? "address" : "token")
      .with_hint(hint);
}

Status save_credentials(const Credentials& credentials, const std::string& path) {
  std::error_code error;
  const auto folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return unavailable("cannot make ", folder.string(), ": ", error.message());
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += cat(name, " = ", value, "\n");
  };
  add("address", credentials.address);
  add("http_address", credentials.http_address);
  add("user", credentials.user);
  add("token", credentials.token);
  add("tls_ca", credentials.tls_ca);
  return write_private(path, text);
}

}  // namespace dt::client
