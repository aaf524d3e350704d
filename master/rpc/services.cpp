#include "master/rpc/services.h"

#include <string_view>

namespace dt::master {

Result<Caller> authorize(const grpc::ServerContextBase& context, Auth& auth, Right right) {
  const auto& metadata = context.client_metadata();
  const auto it = metadata.find("authorization");
  const std::string_view authorization =
      it == metadata.end() ? std::string_view() : std::string_view(it->second.data(), it->second.size());
  const Caller caller = TRY(auth.caller(authorization));
  const auto denied = [&](const char* who) {
    return permission_denied("user ", caller.user, " may not do this: it needs ", who);
  };
  switch (right) {
    case Right::person:
      if (caller.is_agent()) return denied("a person's token");
      break;
    case Right::administrator:
      if (!caller.admin) return denied("an administrator");
      break;
    case Right::agent:
      if (!caller.is_agent()) return denied("an agent's token");
      break;
    case Right::person_or_agent: break;
  }
  return caller;
}

}  // namespace dt::master
