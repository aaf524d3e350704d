// Where the master is and who asks: what `dtctl login` and `dtctl local up` leave for dtctl and the
// window, in a file that only its owner may read. DT_MASTER and DT_TOKEN, as every rank has them,
// win over the file, so dtctl works inside a trial too.
#pragma once

#include <string>

#include "base/status.h"

namespace dt::client {

struct Credentials {
  std::string address;       // gRPC, "127.0.0.1:8081"
  std::string http_address;  // "127.0.0.1:8080"; may be empty
  std::string user;          // who the token belongs to; may be empty
  std::string token;
  std::string tls_ca;  // PEM file that vouches for the master; empty: no TLS
  bool operator==(const Credentials&) const = default;
};

// $DT_CREDENTIALS, else dovetail/credentials below $XDG_CONFIG_HOME or ~/.config.
std::string credentials_path();

Result<Credentials> load_credentials(const std::string& path = credentials_path());
// Replaces the file as a whole; its folder is made.
Status save_credentials(const Credentials& credentials,
                        const std::string& path = credentials_path());

}  // namespace dt::client
