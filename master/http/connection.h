// One HTTP connection: reads a request, lets it be answered, reads the next. Its methods are called
// on the server's thread; those of HttpReply by the thread that handles the request, which waits
// while the server's thread writes.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <memory>
#include <mutex>
#include <optional>

#include "master/http/server.h"
#include "master/http/workers.h"

namespace dt::master {

class Connection final : public std::enable_shared_from_this<Connection>, public HttpReply {
 public:
  Connection(boost::asio::ip::tcp::socket socket, const HttpHandler& handler, Workers& workers)
      : stream_(std::move(socket)), handler_(handler), workers_(workers) {}

  void read();
  void close();

  // HttpReply.
  void answer(HttpAnswer answer) override;
  void begin(int status, const std::string& content_type) override;
  bool write(std::string piece) override;
  void end() override;
  void on_gone(std::function<void()> call) override;

 private:
  using Error = boost::beast::error_code;
  using Head = boost::beast::http::response<boost::beast::http::empty_body>;
  using Whole = boost::beast::http::response<boost::beast::http::string_body>;

  void read_body();
  bool is_too_large() const;
  void refuse_body();
  void handle();
  void send(const HttpAnswer& answer);
  void finish(Error error);
  void drain();
  void watch_peer();
  void peer_left();
  // Runs `write(done)` on the server's thread and waits for done(error).
  bool wait_for(const std::function<void(std::function<void(Error)>)>& write);

  boost::beast::tcp_stream stream_;
  const HttpHandler& handler_;
  Workers& workers_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  HttpRequest request_;
  Whole response_;
  Head head_;
  std::string piece_;
  std::size_t body_max_ = 0;
  bool keeps_alive_ = false;
  bool is_chunked_ = false;
  bool is_watched_ = false;
  bool is_handled_ = false;

  std::mutex mutex_;
  std::function<void()> on_gone_;  // guarded by mutex_
  bool is_gone_ = false;           // guarded by mutex_
};

}  // namespace dt::master
