// Status and Result<T>: errors as values, with gRPC's sixteen codes, so both edges of an RPC
// convert by one line. Messages are lower case, without a final period, and name the thing and the
// value; `Detail` carries what an interface needs to show the error at its place.
//
//   Result<Config> parse(...);
//   const Config config = TRY(parse(text));           // returns the Status on error
//   return not_found("experiment ", id, " does not exist").with_hint("dtctl experiment list");
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/cat.h"
#include "base/verify.h"

namespace dt {

enum class Code {  // the integers are gRPC's
  ok = 0,
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  already_exists = 6,
  permission_denied = 7,
  resource_exhausted = 8,
  failed_precondition = 9,
  aborted = 10,
  out_of_range = 11,
  unimplemented = 12,
  internal = 13,
  unavailable = 14,
  data_loss = 15,
  unauthenticated = 16,
};

const char* to_text(Code code);

// Where an error lies and what helps. Empty fields (line 0) are unknown.
struct Detail {
  std::string subject;  // the thing: "searcher.max_trials", "context /home/a/b"
  std::string value;    // the value that was refused
  std::string hint;     // the way out
  std::string path;     // a configuration key or a file
  int line = 0;

  bool operator==(const Detail&) const = default;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::ok; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }
  const Detail& detail() const { return detail_; }

  Status with_detail(Detail detail) && { return detail_ = std::move(detail), std::move(*this); }
  Status with_hint(std::string hint) && { return detail_.hint = std::move(hint), std::move(*this); }
  // "restoring trial 7: file not found": keeps code and detail.
  Status with_context(const std::string& context) && {
    message_ = context + ": " + message_;
    return std::move(*this);
  }
  // "message (hint)", for a line of text.
  std::string text() const;

  bool operator==(const Status&) const = default;

 private:
  Code code_ = Code::ok;
  std::string message_;
  Detail detail_;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit, so `return value;` works
  Result(Status status) : status_(std::move(status)) {  // NOLINT: so `return not_found(…);` works
    VERIFY(!status_.ok(), "a Result without a value needs an error");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  const T& value() const& { return checked(), *value_; }
  T& value() & { return checked(), *value_; }
  T value() && { return checked(), std::move(*value_); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  T value_or(T other) const { return value_ ? *value_ : std::move(other); }

 private:
  void checked() const { VERIFY(value_.has_value(), "value of an error: ", status_.message()); }

  Status status_;
  std::optional<T> value_;
};

inline Status status_of(Status status) { return status; }
template <class T>
Status status_of(const Result<T>& result) {
  return result.status();
}
inline std::monostate take_value(Status&&) { return {}; }
template <class T>
T take_value(Result<T>&& result) {
  return std::move(result).value();
}

#define DT_STATUS_MAKER(name)                              \
  template <class... Pieces>                               \
  Status name(const Pieces&... pieces) {                   \
    return Status(Code::name, cat(pieces...));             \
  }
DT_STATUS_MAKER(cancelled)
DT_STATUS_MAKER(invalid_argument)
DT_STATUS_MAKER(deadline_exceeded)
DT_STATUS_MAKER(not_found)
DT_STATUS_MAKER(already_exists)
DT_STATUS_MAKER(permission_denied)
DT_STATUS_MAKER(resource_exhausted)
DT_STATUS_MAKER(failed_precondition)
DT_STATUS_MAKER(aborted)
DT_STATUS_MAKER(unimplemented)
DT_STATUS_MAKER(internal)
DT_STATUS_MAKER(unavailable)
DT_STATUS_MAKER(data_loss)
DT_STATUS_MAKER(unauthenticated)
#undef DT_STATUS_MAKER

}  // namespace dt

// Gives the value of a Result (or nothing of a Status), or returns the error to the caller.
#define TRY(expression)                                                         \
  __extension__({                                                               \
    auto&& try_result = (expression);                                           \
    if (!try_result.ok()) return ::dt::status_of(std::move(try_result));        \
    ::dt::take_value(std::move(try_result));                                    \
  })
