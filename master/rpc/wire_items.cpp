#include "master/rpc/wire_items.h"

#include "proto/status_wire.h"

namespace dt::master {

namespace v1 = ::dovetail::v1;

v1::ItemError item_error(const Status& status) {
  v1::ItemError error;
  error.set_code(static_cast<int>(to_grpc(status).error_code()));
  error.set_message(status.message());
  error.set_hint(status.detail().hint);
  return error;
}

v1::ItemError item_error(const Value& error) {
  const Status status(static_cast<Code>(error["code"].as_int()), error["message"].as_string());
  return item_error(Status(status).with_hint(error["hint"].as_string()));
}

Status too_many(const char* what, int count, int count_max) {
  return invalid_argument(what, ": ", count, " in one call; at most ", count_max, " are taken")
      .with_detail({.subject = what,
                    .value = std::to_string(count),
                    .hint = "split them into several calls",
                    .path = what});
}

}  // namespace dt::master
