#include "master/http/connection.h"

#include <sys/socket.h>

#include <boost/asio/post.hpp>

#include <chrono>
#include <future>

#include "master/http/answer.h"

namespace dt::master {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr auto silence_max = std::chrono::seconds(30);
constexpr std::uint32_t head_bytes_max = 64 * 1024;
constexpr const char* no_sniffing = "X-Content-Type-Options";

std::string text(const boost::beast::string_view& view) { return {view.data(), view.size()}; }

}  // namespace

void Connection::read() {
  parser_.emplace();
  parser_->header_limit(head_bytes_max);
  parser_->body_limit(boost::none);  // known when the head is
  stream_.expires_after(silence_max);
  http::async_read_header(
      stream_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
        if (error) return;
        const auto& head = self->parser_->get();
        self->request_ = {.method = text(head.method_string()),
                          .target = text(head.target()),
                          .authorization = text(head[http::field::authorization]),
                          .content_type = text(head[http::field::content_type])};
        self->body_max_ = self->handler_.body_max(self->request_);
        if (self->is_too_large()) return self->refuse_body();
        if (head[http::field::expect] != "100-continue") return self->read_body();
        self->head_ = Head(http::status::continue_, head.version());
        http::async_write(self->stream_, self->head_, [self](Error failure, std::size_t) {
          if (!failure) self->read_body();
        });
      });
}

// Piece by piece, so that a long body may take its time as long as it comes.
void Connection::read_body() {
  if (is_too_large()) return refuse_body();
  if (parser_->is_done()) return handle();
  stream_.expires_after(silence_max);
  http::async_read_some(stream_, buffer_, *parser_,
                        [self = shared_from_this()](Error error, std::size_t) {
                          if (!error) self->read_body();
                        });
}

bool Connection::is_too_large() const {
  return parser_->content_length().value_or(0) > body_max_ ||
         parser_->get().body().size() > body_max_;
}

void Connection::refuse_body() {
  keeps_alive_ = false;
  send(error_answer(413, resource_exhausted("the body of ", request_.target, " is larger than ",
                                            static_cast<std::int64_t>(body_max_ / 1024), " KiB")));
}

void Connection::handle() {
  keeps_alive_ = parser_->get().keep_alive();
  request_.body = std::move(parser_->get().body());
  if (const auto answer = handler_.answer_at_once(request_)) return send(*answer);
  {
    const std::lock_guard lock(mutex_);
    is_gone_ = false;
  }
  is_handled_ = true;
  watch_peer();
  const bool started = workers_.run([self = shared_from_this()] {
    self->handler_.handle(self->request_, *self);
    self->on_gone(nullptr);
  });
  if (started) return;
  is_handled_ = false;
  send(error_answer(503, resource_exhausted("the master answers too many requests at a time")
                             .with_hint("try again, or watch fewer things")));
}

void Connection::send(const HttpAnswer& answer) {
  is_handled_ = false;
  const auto& request = parser_->get();
  response_ = Whole(static_cast<http::status>(answer.status), request.version());
  response_.set(http::field::content_type, answer.content_type);
  response_.set(no_sniffing, "nosniff");
  if (answer.status == 401) response_.set(http::field::www_authenticate, "Bearer");
  if (!answer.allow.empty()) response_.set(http::field::allow, answer.allow);
  response_.keep_alive(keeps_alive_);
  response_.body() = answer.body;
  response_.prepare_payload();
  stream_.expires_after(silence_max);
  http::async_write(stream_, response_, [self = shared_from_this()](Error error, std::size_t) {
    self->finish(error);
  });
}

void Connection::finish(Error error) {
  is_handled_ = false;
  if (!error && keeps_alive_) return read();
  Error ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  drain();
}

// What the peer still sends is read and dropped: closing over it would take the answer from him.
void Connection::drain() {
  buffer_.clear();
  stream_.expires_after(silence_max);
  stream_.async_read_some(buffer_.prepare(64 * 1024),
                          [self = shared_from_this()](Error error, std::size_t) {
                            if (!error) self->drain();
                          });
}

void Connection::close() {
  stream_.close();
  peer_left();
}

// While a request is handled nothing is read, so the end of the peer would go unnoticed.
void Connection::watch_peer() {
  if (std::exchange(is_watched_, true)) return;
  stream_.socket().async_wait(
      asio::ip::tcp::socket::wait_read, [self = shared_from_this()](Error error) {
        self->is_watched_ = false;
        if (!self->is_handled_) return;
        char byte = 0;
        const auto got = error ? 0
                               : ::recv(self->stream_.socket().native_handle(), &byte, 1,
                                        MSG_PEEK | MSG_DONTWAIT);
        const bool is_empty = got < 0 && errno == EAGAIN;  // woken for an earlier request
        if (is_empty) return self->watch_peer();
        if (got <= 0) self->peer_left();
      });
}

void Connection::peer_left() {
  const std::lock_guard lock(mutex_);
  is_gone_ = true;
  if (on_gone_) on_gone_();
}

void Connection::on_gone(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  on_gone_ = std::move(call);
  if (on_gone_ && is_gone_) on_gone_();
}

bool Connection::wait_for(const std::function<void(std::function<void(Error)>)>& write) {
  std::promise<Error> written;
  asio::post(stream_.get_executor(), [&] {
    stream_.expires_after(silence_max);
    write([&written](Error error) { written.set_value(error); });
  });
  return !written.get_future().get();
}

void Connection::answer(HttpAnswer answer) {
  asio::post(stream_.get_executor(), [self = shared_from_this(), answer = std::move(answer)] {
    self->send(answer);
  });
}

void Connection::begin(int status, const std::string& content_type) {
  is_chunked_ = parser_->get().version() >= 11;
  keeps_alive_ = keeps_alive_ && is_chunked_;
  head_ = Head(static_cast<http::status>(status), parser_->get().version());
  head_.set(http::field::content_type, content_type);
  head_.set(no_sniffing, "nosniff");
  head_.keep_alive(keeps_alive_);
  head_.chunked(is_chunked_);
  http::response_serializer<http::empty_body> serializer(head_);
  wait_for([&](auto done) {
    http::async_write_header(stream_, serializer, [done](Error error, std::size_t) { done(error); });
  });
}

bool Connection::write(std::string piece) {
  if (piece.empty()) return true;  // an empty chunk would end the answer
  piece_ = std::move(piece);
  return wait_for([&](auto done) {
    const auto on_written = [done](Error error, std::size_t) { done(error); };
    if (is_chunked_) {
      asio::async_write(stream_, http::make_chunk(asio::buffer(piece_)), on_written);
    } else {
      asio::async_write(stream_, asio::buffer(piece_), on_written);
    }
  });
}

void Connection::end() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] {
    if (!self->is_chunked_) return self->finish({});
    self->stream_.expires_after(silence_max);
    asio::async_write(self->stream_, http::make_chunk_last(),
                      [self](Error error, std::size_t) { self->finish(error); });
  });
}

}  // namespace dt::master
