#include "master/http/routes.h"

#include "base/version.h"
#include "formats/json.h"
#include "master/http/answer.h"

namespace dt::master {
namespace {

HttpAnswer health(const Loop& loop) {
  const bool acts = !loop.is_stalled();
  Value body;
  body.set("status", acts ? "ok" : "unavailable").set("database", acts ? "ok" : "away");
  body.set("batch", loop.batch()).set("version", version);
  return {.status = acts ? 200 : 503, .body = to_json(body) + "\n"};
}

}  // namespace

HttpAnswer answer_http(const HttpRequest& request, const Loop& loop) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path != "/healthz") {
    return error_answer(
        not_found("there is nothing at ", path).with_hint("/healthz, or /api/v1/Service/Method"));
  }
  if (request.method != "GET" && request.method != "HEAD") return wrong_method(request, "GET");
  return health(loop);
}

}  // namespace dt::master
