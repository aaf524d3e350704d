// Status <-> grpc::Status: the code, the message, and the ErrorDetail bytes in gRPC's error details,
// so a refusal keeps its subject, value, hint and place on its way through a call. Both ends of the
// wire have it from here.
#pragma once

#include <grpcpp/support/status.h>

#include <utility>

#include "base/status.h"
#include "dovetail/v1/common.pb.h"

namespace dt {

inline grpc::Status to_grpc(const Status& status) {
  if (status.ok()) return grpc::Status::OK;
  ::dovetail::v1::ErrorDetail detail;
  detail.set_subject(status.detail().subject);
  detail.set_value(status.detail().value);
  detail.set_hint(status.detail().hint);
  detail.set_path(status.detail().path);
  detail.set_line(status.detail().line);
  return {static_cast<grpc::StatusCode>(status.code()), status.message(),
          detail.SerializeAsString()};
}

inline Status from_grpc(const grpc::Status& status) {
  if (status.ok()) return {};
  Status converted(static_cast<Code>(status.error_code()), status.error_message());
  ::dovetail::v1::ErrorDetail detail;
  if (!detail.ParseFromString(status.error_details())) return converted;
  return std::move(converted).with_detail({.subject = detail.subject(),
                                           .value = detail.value(),
                                           .hint = detail.hint(),
                                           .path = detail.path(),
                                           .line = detail.line()});
}

}  // namespace dt
