// Errors over HTTP: a gRPC code's HTTP status and the body {code, message, detail{…}}. Pure.
#pragma once

#include "base/status.h"
#include "base/value.h"
#include "master/http/server.h"

namespace dt::master {

int http_status(Code code);
Value error_body(const Status& status);
HttpAnswer error_answer(const Status& status);
HttpAnswer error_answer(int http_status, const Status& status);
// 405: it takes `allow` and not what came.
HttpAnswer wrong_method(const HttpRequest& request, const std::string& allow);

}  // namespace dt::master
