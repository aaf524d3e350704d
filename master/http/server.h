// A small HTTP/1.1 server (Boost.Beast): parses requests, asks one handler, writes its answer. One
// thread; connections time out after 30 s of silence, bodies are limited. The handler runs on the
// server's thread and must not block for long.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"

namespace dt::master {

struct HttpRequest {
  std::string method;
  std::string target;  // path and query
  std::string authorization;
  std::string body;
};

struct HttpAnswer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
};

class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;

  // "127.0.0.1:8080"; port 0 takes a free one.
  static Result<std::unique_ptr<HttpServer>> open(const std::string& address, Handler handler);
  ~HttpServer();

  const std::string& address() const;  // with the real port

 private:
  class State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dt::master
