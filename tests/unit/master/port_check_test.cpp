#include "master/port_check.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dt::master {
namespace {

class TakenPort {
 public:
  TakenPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* address = reinterpret_cast<sockaddr*>(&at);
    socklen_t bytes = sizeof at;
    EXPECT_EQ(::bind(fd_, address, bytes), 0);
    EXPECT_EQ(::listen(fd_, 1), 0);
    EXPECT_EQ(::getsockname(fd_, address, &bytes), 0);
    port_ = ntohs(at.sin_port);
  }
  ~TakenPort() { close(); }

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int number() const { return port_; }

 private:
  int fd_;
  int port_ = 0;
};

TEST(CheckFree, APortInUseIsNamedWithTheOptionThatChoosesAnother) {
  TakenPort port;
  for (const char* host : {"127.0.0.1", "localhost", "0.0.0.0"}) {
    const std::string address = cat(host, ":", port.number());
    EXPECT_EQ(check_free("gRPC", address, "--grpc").text(),
              cat("gRPC cannot listen on ", address,
                  ": Address already in use (is another master running? end it, or choose another "
                  "port with --grpc)"));
  }
}

TEST(CheckFree, LeavesThePortFree) {
  TakenPort port;
  const std::string address = cat("127.0.0.1:", port.number());
  port.close();
  EXPECT_TRUE(check_free("HTTP", address, "--http").ok());
  EXPECT_TRUE(check_free("HTTP", address, "--http").ok());
}

TEST(CheckFree, WhatItCannotJudgeIsLeftToTheListener) {
  EXPECT_TRUE(check_free("gRPC", "127.0.0.1:0", "--grpc").ok());
  EXPECT_TRUE(check_free("gRPC", "no port", "--grpc").ok());
  EXPECT_TRUE(check_free("gRPC", "name.invalid:80", "--grpc").ok());
}

}  // namespace
}  // namespace dt::master
