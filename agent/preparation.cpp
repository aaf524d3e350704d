#include "agent/preparation.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "agent/files.h"
#include "agent/launch.h"
#include "formats/json.h"

namespace dt::agent {

namespace {

constexpr std::chrono::seconds pause{1};  // between tries while the master is away

// A folder of the ranks' user.
Status make_users_folder(const std::string& path, const std::optional<User>& user) {
  TRY(make_folder(path, 0700));
  if (user && ::chown(path.c_str(), user->uid, user->gid) != 0) {
    return file_error(cat("cannot give ", path, " to ", user->name), errno);
  }
  return {};
}

Status make_folders(const Allocation& allocation) {
  const auto& user = allocation.checkpoints.user;
  TRY(make_folder(allocation.folder, 0711));
  TRY(make_users_folder(allocation.checkpoints.written, user));
  TRY(make_users_folder(allocation.checkpoints.fetched, user));
  if (allocation.facts.assignment.context) return {};
  return make_users_folder(allocation.work_dir, user);
}

Status while_away(const std::function<Status()>& attempt, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  while (true) {
    const Status status = attempt();
    if (stop.stop_requested()) return cancelled("it was not wanted any more");
    if (status.code() != Code::unavailable) return status;
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop, pause, [] { return false; });
  }
}

}  // namespace

Result<Fd> prepare_allocation(const Preparation& preparation, const Allocation& allocation,
                              const v1::AssignmentMessage& assignment,
                              const std::stop_token& stop) {
  const AllocationFacts& facts = allocation.facts;
  TRY(make_folders(allocation));
  TRY(save_assignment(allocation.folder, assignment));
  const ContextHash& context = facts.assignment.context;
  if (context) {
    TRY(while_away(
        [&] { return preparation.contexts.fetch(preparation.client, context, stop).status(); },
        stop));
  }
  if (const auto& source = facts.assignment.checkpoint) {
    TRY(while_away(
        [&] { return fetch_checkpoint(preparation.client, allocation.checkpoints, *source, stop); },
        stop));
  }
  const std::string marker = preparation.contexts.marker(context, facts.config.prepare);
  const Value spec = shim_spec(allocation, preparation.node, preparation.address,
                               preparation.socket_dir, context ? marker : "");
  TRY(replace_file(allocation.folder + "/spec.json", to_json_pretty(spec) + "\n"));
  if (stop.stop_requested()) return cancelled("it was not wanted any more");
  return launch_shim(preparation.shim, allocation.folder);
}

}  // namespace dt::agent
