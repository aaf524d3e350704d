#include "master/http/server.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <cstdlib>
#include <list>
#include <thread>

#include "base/cat.h"
#include "master/http/connection.h"

namespace dt::master {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

constexpr int handled_at_a_time = 256;

}  // namespace

class HttpServer::State {
 public:
  State() : acceptor_(context_), work_(context_.get_executor()) {}

  // Connections first, so that no thread waits for a peer; then the threads; then our own.
  ~State() {
    asio::post(context_, [this] {
      boost::system::error_code ignored;
      acceptor_.close(ignored);
      for (const auto& weak : connections_) {
        if (const auto connection = weak.lock()) connection->close();
      }
    });
    if (thread_.joinable()) workers_.wait_all();
    context_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status listen(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string::npos) return invalid_argument("\"", address, "\" is not HOST:PORT");
    boost::system::error_code error;
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
    return {};
  }

  void serve(const HttpHandler& handler) {
    handler_ = &handler;
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }

  const std::string& address() const { return address_; }

 private:
  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
      if (!error) {
        const auto connection = std::make_shared<Connection>(std::move(socket), *handler_, workers_);
        connections_.remove_if([](const auto& weak) { return weak.expired(); });
        connections_.push_back(connection);
        connection->read();
      }
      if (acceptor_.is_open()) accept();
    });
  }

  const HttpHandler* handler_ = nullptr;
  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::string address_;
  Workers workers_{handled_at_a_time};
  std::list<std::weak_ptr<Connection>> connections_;  // the thread's own
  std::thread thread_;
};

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::~HttpServer() = default;
const std::string& HttpServer::address() const { return state_->address(); }
void HttpServer::serve(const HttpHandler& handler) { state_->serve(handler); }

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const std::string& address) {
  auto state = std::make_unique<State>();
  TRY(state->listen(address));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

}  // namespace dt::master
