// What every gRPC service of the master has at hand, and how a handler runs: the caller is known and
// allowed before the handler sees the request, and its Status becomes the call's. Handlers convert,
// ask the loop or the store, and convert back; they decide nothing. Any thread.
#pragma once

#include <grpcpp/server_context.h>

#include <memory>
#include <vector>

#include "base/status.h"
#include "master/auth.h"
#include "master/blobs.h"
#include "master/clock.h"
#include "master/convert.h"
#include "master/deletion.h"
#include "master/log_matcher.h"
#include "master/loop.h"
#include "master/store/store.h"

namespace grpc {
class Service;
}

namespace dt::master {

struct Services {
  Loop& loop;
  Store& store;
  Auth& auth;
  const Blobs& contexts;
  const Blobs& checkpoints;
  const Clock& clock;
  Deletion& deletion;
  LogMatcher& log_matcher;
  std::string http_address;
};

enum class Right { person, administrator, agent, person_or_agent };

// The caller, or the reason why this call is not theirs.
Result<Caller> authorize(const grpc::ServerContextBase& context, Auth& auth, Right right);

template <class Handler>
grpc::Status handle(const grpc::ServerContextBase& context, const Services& services, Right right,
                    Handler handler) {
  const Result<Caller> caller = authorize(context, services.auth, right);
  return reply_of(caller.ok() ? handler(*caller) : caller.status());
}

std::unique_ptr<grpc::Service> make_experiments_service(const Services& services);
std::unique_ptr<grpc::Service> make_trials_service(const Services& services);
std::unique_ptr<grpc::Service> make_jobs_service(const Services& services);
std::unique_ptr<grpc::Service> make_searches_service(const Services& services);
std::unique_ptr<grpc::Service> make_metrics_service(const Services& services);
std::unique_ptr<grpc::Service> make_logs_service(const Services& services);
std::unique_ptr<grpc::Service> make_watch_service(const Services& services);
std::unique_ptr<grpc::Service> make_contexts_service(const Services& services);
std::unique_ptr<grpc::Service> make_admin_service(const Services& services);
std::unique_ptr<grpc::Service> make_agent_link_service(const Services& services);

}  // namespace dt::master
