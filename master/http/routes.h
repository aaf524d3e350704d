// What the master answers over HTTP besides the API.
#pragma once

#include "master/http/server.h"
#include "master/loop.h"

namespace dt::master {

// GET /healthz: 200 when the loop acts, 503 while the database is away. Needs no token.
HttpAnswer answer_http(const HttpRequest& request, const Loop& loop);

}  // namespace dt::master
