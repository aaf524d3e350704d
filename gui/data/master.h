// The master as the window sees it: calls block on worker threads, their answers arrive on the GUI
// thread. Nothing here waits on the GUI thread, not even the end of a Master: its calls are
// cancelled and its workers end apart. A Call owns its answer: when it is destroyed or replaced,
// the call is cancelled and a late answer drops. A page shows what it has until the new answer is
// there, and asks again when Live says so: calls themselves do not retry. GUI thread only.
//
//   loading_ = master.call<v1::Trials>(&v1::Trials::Stub::GetTrial, request,
//                                      [this](Result<v1::GetTrialResponse> got) { show(got); });
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/status.h"
#include "client/client.h"

namespace dovetail::v1 {}

namespace dt::gui {

namespace v1 = ::dovetail::v1;

class Call {
 public:
  Call() = default;
  explicit Call(std::stop_source stop) : stop_(std::move(stop)) {}
  Call(Call&& other) noexcept
      : stop_(std::exchange(other.stop_, std::stop_source(std::nostopstate))) {}
  Call& operator=(Call&& other) noexcept {
    if (this != &other) {
      cancel();
      stop_ = std::exchange(other.stop_, std::stop_source(std::nostopstate));
    }
    return *this;
  }
  ~Call() { cancel(); }

  void cancel() { stop_.request_stop(); }

 private:
  std::stop_source stop_{std::nostopstate};
};

class Master : public QObject {
  Q_OBJECT

 public:
  explicit Master(client::Credentials credentials, QObject* parent = nullptr);
  ~Master() override;

  const client::Credentials& credentials() const { return client_->credentials(); }

  // `work` runs on a worker thread and should end soon after `stop`; `then` runs on the GUI thread.
  template <class T>
  [[nodiscard]] Call run(std::function<Result<T>(const client::Client&, std::stop_token)> work,
                         std::function<void(Result<T>)> then) {
    std::stop_source stop;
    keep(stop);
    start([client = client_, work = std::move(work), then = std::move(then), stop, inbox = inbox_] {
      if (stop.stop_requested()) return;
      auto result = std::make_shared<Result<T>>(work(*client, stop.get_token()));
      answer(inbox, [result, then, stop] {
        if (!stop.stop_requested()) then(std::move(*result));
        stop.request_stop();  // it is over: keep() forgets it
      });
    });
    return Call(std::move(stop));
  }

  template <class Service, class Request, class Response>
  [[nodiscard]] Call call(grpc::Status (Service::Stub::*method)(grpc::ClientContext*,
                                                                const Request&, Response*),
                          Request request,
                          std::type_identity_t<std::function<void(Result<Response>)>> then) {
    return run<Response>(
        [method, request = std::move(request)](const client::Client& client, std::stop_token stop) {
          return client.call<Service>(method, request, {.retry_unavailable = false, .stop = stop});
        },
        std::move(then));
  }

  // A server's stream on a thread of its own; `on_message` and `on_end` run on the GUI thread.
  template <class Service, class Request, class Response>
  [[nodiscard]] Call stream(std::unique_ptr<grpc::ClientReader<Response>> (Service::Stub::*method)(
                                grpc::ClientContext*, const Request&),
                            Request request,
                            std::type_identity_t<std::function<void(const Response&)>> on_message,
                            std::function<void(Status)> on_end) {
    std::stop_source stop;
    keep(stop);
    start_thread([client = client_, method, request = std::move(request), stop, inbox = inbox_,
                  on_message = std::move(on_message), on_end = std::move(on_end)] {
      const auto take = [&](const Response& message) {
        answer(inbox, [message, on_message, stop] {
          if (!stop.stop_requested()) on_message(message);
        });
        return !stop.stop_requested();
      };
      const Status status = client->read<Service>(method, request, take, stop.get_token());
      answer(inbox, [status, on_end, stop] {
        if (!stop.stop_requested()) on_end(status);
        stop.request_stop();
      });
    });
    return Call(std::move(stop));
  }

 private:
  void keep(const std::stop_source& stop);
  void start(std::function<void()> work);
  void start_thread(std::function<void()> work);
  static void answer(QObject* inbox, std::function<void()> on_gui_thread);

  struct Workers;
  std::shared_ptr<client::Client> client_;
  QObject* inbox_;  // the application, which outlives the workers as well
  std::shared_ptr<Workers> workers_;
  std::vector<std::stop_source> running_;
};

}  // namespace dt::gui
