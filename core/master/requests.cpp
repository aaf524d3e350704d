#include "core/master/requests.h"

namespace dt::core {
namespace {

Value stored_form(const Result<Value>& result) {
  if (result.ok()) return Value::Object{{"ok", result.value()}};
  const Status& status = result.status();
  const Detail& detail = status.detail();
  return Value::Object{{"code", static_cast<int>(status.code())},
                       {"message", status.message()},
                       {"subject", detail.subject},
                       {"value", detail.value},
                       {"hint", detail.hint},
                       {"path", detail.path},
                       {"line", detail.line}};
}

std::string text_of(const Value& value) { return value.is_string() ? value.as_string() : ""; }
int int_of(const Value& value) { return value.is_int() ? static_cast<int>(value.as_int()) : 0; }

Result<Value> result_of(const Value& stored) {
  if (const Value* value = stored.find("ok")) return *value;
  const int code = int_of(stored["code"]);
  const bool is_error = code > 0 && code <= static_cast<int>(Code::unauthenticated);
  return Status(is_error ? static_cast<Code>(code) : Code::internal, text_of(stored["message"]))
      .with_detail({.subject = text_of(stored["subject"]),
                    .value = text_of(stored["value"]),
                    .hint = text_of(stored["hint"]),
                    .path = text_of(stored["path"]),
                    .line = int_of(stored["line"])});
}

void reply(Step& step, ReplyToken token, Result<Value> result) {
  if (token != 0)
    step.effects.actions.push_back(Reply{.token = token, .result = std::move(result)});
}

Result<Value> repeated(const RequestRow& row, const RequestInfo& request) {
  if (row.user != request.user || row.request_digest != request.digest) {
    return already_exists("request id ", request.request_id, " was used for another request")
        .with_hint("make a new request id for every new request");
  }
  return result_of(row.response);
}

}  // namespace

void answer_request(Step& step, const RequestInfo& request,
                    const std::function<Result<Value>()>& handle) {
  const auto known = step.book.requests.find(request.request_id);
  if (known != step.book.requests.end()) {
    return reply(step, request.token, repeated(known->second, request));
  }
  Result<Value> result = handle();
  if (!request.request_id.empty()) {
    RequestRow row{.request_id = request.request_id,
                   .user = request.user,
                   .request_digest = request.digest,
                   .response = stored_form(result),
                   .created_ms = to_ms(step.now)};
    step.effects.writes.requests.push_back(row);
    step.book.request_order.push_back(row.request_id);
    step.book.requests.emplace(row.request_id, std::move(row));
  }
  reply(step, request.token, std::move(result));
}

Value error_value(const Status& status) {
  return Value::Object{{"code", static_cast<int>(status.code())},
                       {"message", status.message()},
                       {"hint", status.detail().hint}};
}

Time next_request_end(const Book& book) {
  if (book.request_order.empty()) return never;
  return from_ms(book.requests.at(book.request_order.front()).created_ms) + requests_kept;
}

void forget_old_requests(Step& step) {
  while (step.now >= next_request_end(step.book)) {
    step.book.requests.erase(step.book.request_order.front());
    step.book.request_order.pop_front();
  }
}

}  // namespace dt::core
