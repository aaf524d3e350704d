// One real master for a test binary: private PostgreSQL, gRPC and HTTP on free ports, in a
// temporary folder; and clients that call it as a person, as an agent, or as nobody.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "client/client.h"
#include "master/server.h"
#include "master/store/private_postgres.h"

namespace dt::master {

class RealMaster {
 public:
  RealMaster() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dt-rpc-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    start();
  }
  ~RealMaster() {
    server_.reset();
    (void)PrivatePostgres::stop_in(folder_);  // the folder goes; nothing is left to keep
    std::filesystem::remove_all(folder_);
  }
  RealMaster(const RealMaster&) = delete;
  RealMaster& operator=(const RealMaster&) = delete;

  void restart() {
    server_.reset();
    start();
  }

  client::Client client(const std::string& token) const {
    return client::Client({.address = server_->grpc_address(),
                           .http_address = {},
                           .user = {},
                           .token = token,
                           .tls_ca = {}});
  }
  client::Client person() const { return client(token_in("admin.token")); }
  client::Client agent() const { return client(token_in("agent.token")); }
  client::Client nobody() const { return client(""); }
  const std::string& folder() const { return folder_; }
  std::string token_in(const char* file) const {
    std::ifstream in(folder_ + "/" + file);
    std::string token;
    in >> token;
    return token;
  }
  const std::string& http_address() const { return server_->http_address(); }

 private:
  void start() {
    auto opened =
        Server::open({.data_dir = folder_,
                      .database = {},
                      .grpc_address = "127.0.0.1:0",
                      .http_address = "127.0.0.1:0"},
                     [](LoopEnd end) { ADD_FAILURE() << "the loop ended: " << int(end); });
    VERIFY(opened.ok(), opened.status().text());
    server_ = std::move(opened).value();
  }

  std::string folder_;
  std::unique_ptr<Server> server_;
};

inline RealMaster& real_master() {
  static RealMaster master;
  return master;
}

}  // namespace dt::master
