// Which master, and by what right. People's programs find it in this order: the environment
// (DOVETAIL_MASTER, DOVETAIL_TOKEN), then the file that `dtctl login` and `dtctl local up` write:
// $XDG_CONFIG_HOME/dovetail/connection.json, else ~/.config/…, mode 0600.
#pragma once

#include <string>

#include "base/status.h"

namespace dt::client {

struct Connection {
  std::string address = "127.0.0.1:8081";
  std::string token;
  std::string
      tls_ca;  // PEM file of the authority that signed the master's certificate; empty: no TLS
  bool operator==(const Connection&) const = default;
};

std::string connection_file();
Result<Connection> find_connection();
Result<Connection> read_connection(const std::string& path);
Status save_connection(const std::string& path, const Connection& connection);  // atomic, 0600

}  // namespace dt::client
