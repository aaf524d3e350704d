#include "master/http/answer.h"

#include "formats/json.h"

namespace dt::master {

// As google.rpc.Code documents it.
int http_status(Code code) {
  switch (code) {
    case Code::ok: return 200;
    case Code::cancelled: return 499;
    case Code::invalid_argument:
    case Code::failed_precondition:
    case Code::out_of_range: return 400;
    case Code::deadline_exceeded: return 504;
    case Code::not_found: return 404;
    case Code::already_exists:
    case Code::aborted: return 409;
    case Code::permission_denied: return 403;
    case Code::unauthenticated: return 401;
    case Code::resource_exhausted: return 429;
    case Code::unimplemented: return 501;
    case Code::unavailable: return 503;
    case Code::unknown:
    case Code::internal:
    case Code::data_loss: return 500;
  }
  return 500;
}

Value error_body(const Status& status) {
  const Detail& detail = status.detail();
  Value place;
  place.set("subject", detail.subject).set("value", detail.value).set("hint", detail.hint);
  place.set("path", detail.path).set("line", detail.line);
  Value body;
  body.set("code", to_text(status.code())).set("message", status.message());
  body.set("detail", std::move(place));
  return body;
}

HttpAnswer error_answer(const Status& status) {
  return error_answer(http_status(status.code()), status);
}

HttpAnswer error_answer(int http_status, const Status& status) {
  return {.status = http_status, .body = to_json(error_body(status)) + "\n"};
}

HttpAnswer wrong_method(const HttpRequest& request, const std::string& allow) {
  HttpAnswer answer = error_answer(
      405, invalid_argument(request.target, " takes ", allow, ", not ", request.method));
  answer.allow = allow;
  return answer;
}

}  // namespace dt::master
