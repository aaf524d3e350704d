// A plain HTTP/1.1 client on a socket for tests: one request a connection, so that what a server
// really sends is seen; chunked answers are put together.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/cat.h"
#include "base/value.h"
#include "formats/json.h"

namespace dt::master {

struct HttpResult {
  int status = 0;
  std::string head;
  std::string body;
  Value json() const { return parse_json(body).value_or(Value()); }
};

class HttpPeer {
 public:
  explicit HttpPeer(const std::string& address) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(address.substr(address.rfind(':') + 1).c_str())));
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    VERIFY(connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0, "no peer at ", address);
  }
  ~HttpPeer() { close(); }
  HttpPeer(const HttpPeer&) = delete;
  HttpPeer& operator=(const HttpPeer&) = delete;

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  void send(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t sent = ::send(fd_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;  // it answers before all has come
      at += static_cast<std::size_t>(sent);
    }
  }

  // Up to and without the mark; what is left at the end of the connection if it does not come.
  std::string until(const std::string& mark) {
    std::size_t found;
    while ((found = read_.find(mark)) == std::string::npos && receive()) {
    }
    const std::string text = read_.substr(0, found);
    read_.erase(0, found == std::string::npos ? found : found + mark.size());
    return text;
  }
  std::string bytes(std::size_t count) {
    while (read_.size() < count && receive()) {
    }
    const std::string text = read_.substr(0, count);
    read_.erase(0, count);
    return text;
  }
  std::string chunk() {  // empty: the last one
    const std::string size = until("\r\n");
    const std::string piece = bytes(std::strtoull(size.c_str(), nullptr, 16));
    until("\r\n");
    return piece;
  }

  HttpResult result() {
    HttpResult result{.head = until("\r\n\r\n")};
    result.status = std::atoi(result.head.substr(result.head.find(' ') + 1).c_str());
    const std::size_t length = result.head.find("Content-Length: ");
    if (length != std::string::npos) {
      result.body = bytes(std::strtoull(result.head.c_str() + length + 16, nullptr, 10));
    } else {
      for (std::string piece; !(piece = chunk()).empty();) result.body += piece;
    }
    return result;
  }

 private:
  bool receive() {
    char buffer[65536];
    const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    read_.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

  int fd_ = -1;
  std::string read_;
};

struct HttpCall {
  std::string call;  // "Trials/GetTrial"
  std::string token;
  std::string body = "{}";
  std::string method = "POST";
  std::string content_type = "application/json";
};

inline std::string request_text(const HttpCall& call) {
  const std::string path = call.call.starts_with("/") ? call.call : cat("/api/v1/", call.call);
  return cat(call.method, " ", path, " HTTP/1.1\r\nHost: localhost\r\nContent-Type: ",
             call.content_type, "\r\n",
             call.token.empty() ? "" : cat("Authorization: Bearer ", call.token, "\r\n"),
             "Content-Length: ", static_cast<std::int64_t>(call.body.size()), "\r\n\r\n", call.body);
}

inline HttpResult http(const std::string& address, const HttpCall& call) {
  HttpPeer peer(address);
  peer.send(request_text(call));
  return peer.result();
}

}  // namespace dt::master
