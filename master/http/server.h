// An HTTP/1.1 server (Boost.Beast). One thread does all network I/O; what may block runs on a thread
// a request, so many at most at a time. A connection is closed after 30 s without progress of what
// it reads or writes; heads and bodies are limited. A peer that leaves is told to the handler.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"

namespace dt::master {

struct HttpRequest {
  std::string method;
  std::string target;  // path and query
  std::string authorization;
  std::string content_type;
  std::string body;
};

struct HttpAnswer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow;  // with 405: the method it takes
};

// Where an answer goes: whole by answer(), or in pieces. For the thread that handles the request.
class HttpReply {
 public:
  virtual ~HttpReply() = default;
  virtual void answer(HttpAnswer answer) = 0;
  virtual void begin(int status, const std::string& content_type) = 0;
  virtual bool write(std::string piece) = 0;  // waits until it is sent; false: the peer has left
  virtual void end() = 0;
  // Called from another thread when the peer leaves, perhaps at once; null: not any more.
  virtual void on_gone(std::function<void()> call) = 0;
};

class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  // By its head alone: how large a body this request may have. On the server's thread.
  virtual std::size_t body_max(const HttpRequest& head) const = 0;
  // What needs no waiting. On the server's thread.
  virtual std::optional<HttpAnswer> answer_at_once(const HttpRequest& request) const = 0;
  // All else: answers, or begins and ends. On a thread of its own.
  virtual void handle(const HttpRequest& request, HttpReply& reply) const = 0;
};

class HttpServer {
 public:
  // "127.0.0.1:8080"; port 0 takes a free one. Peers wait until serve().
  static Result<std::unique_ptr<HttpServer>> listen(const std::string& address);
  void serve(const HttpHandler& handler);  // which must outlive the server
  ~HttpServer();  // closes every connection and waits until its handler has ended

  const std::string& address() const;  // with the real port

 private:
  class State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dt::master
