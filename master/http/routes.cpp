#include "master/http/routes.h"

#include "base/version.h"
#include "formats/json.h"

namespace dt::master {
namespace {

HttpAnswer json(int status, Value body) { return {.status = status, .body = to_json(body) + "\n"}; }

HttpAnswer health(const Loop& loop) {
  const bool acts = !loop.is_stalled();
  return json(acts ? 200 : 503, Value()
                                    .set("status", acts ? "ok" : "unavailable")
                                    .set("database", acts ? "ok" : "away")
                                    .set("batch", loop.batch())
                                    .set("version", version));
}

}  // namespace

HttpAnswer answer_http(const HttpRequest& request, const Loop& loop) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (path != "/healthz") {
    return json(404, Value().set("message", cat("there is nothing at ", path)).set("hint", "/healthz"));
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return json(405, Value().set("message", cat(path, " takes GET, not ", request.method)));
  }
  return health(loop);
}

}  // namespace dt::master
