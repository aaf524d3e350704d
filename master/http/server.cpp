#include "master/http/server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <optional>
#include <thread>

namespace dt::master {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

constexpr auto silence_max = std::chrono::seconds(30);
constexpr std::size_t body_bytes_max = 96 * 1024 * 1024;

// One connection: read, answer, read again until the peer closes.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, const HttpServer::Handler& handler)
      : stream_(std::move(socket)), handler_(handler) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(body_bytes_max);
    stream_.expires_after(silence_max);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    const auto& request = parser_->get();
    const auto text = [](const auto& view) { return std::string(view.data(), view.size()); };
    const HttpAnswer answer = handler_({.method = text(request.method_string()),
                                        .target = text(request.target()),
                                        .authorization = text(request[http::field::authorization]),
                                        .body = request.body()});
    response_ = {};
    response_.version(request.version());
    response_.result(static_cast<unsigned>(answer.status));
    response_.set(http::field::content_type, answer.content_type);
    response_.set("X-Content-Type-Options", "nosniff");
    response_.keep_alive(request.keep_alive());
    response_.body() = answer.body;
    response_.prepare_payload();
    stream_.expires_after(silence_max);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (!error && self->response_.keep_alive()) self->read();
                      });
  }

  beast::tcp_stream stream_;
  const HttpServer::Handler& handler_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

class HttpServer::State {
 public:
  explicit State(Handler handler) : handler_(std::move(handler)), acceptor_(context_) {}
  ~State() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status listen(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos) return invalid_argument("\"", address, "\" is not HOST:PORT");
    beast::error_code error;
    const auto host = asio::ip::make_address(address.substr(0, colon), error);
    if (error) return invalid_argument("\"", address, "\": ", error.message());
    const int port = std::atoi(address.c_str() + colon + 1);
    const tcp::endpoint endpoint(host, static_cast<unsigned short>(port));
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return unavailable("HTTP cannot listen on ", address, ": ", error.message())
          .with_hint("choose another with --http");
    }
    address_ = cat(address.substr(0, colon), ":", static_cast<int>(acceptor_.local_endpoint().port()));
    accept();
    thread_ = std::thread([this] { context_.run(); });
    return {};
  }

  const std::string& address() const { return address_; }

 private:
  void accept() {
    acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (!error) std::make_shared<Connection>(std::move(socket), handler_)->read();
      if (acceptor_.is_open()) accept();
    });
  }

  const Handler handler_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  std::string address_;
  std::thread thread_;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() = default;
const std::string& HttpServer::address() const { return state_->address(); }

Result<std::unique_ptr<HttpServer>> HttpServer::open(const std::string& address, Handler handler) {
  auto state = std::make_unique<State>(std::move(handler));
  TRY(state->listen(address));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

}  // namespace dt::master
