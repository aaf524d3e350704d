#include "agent/preparation.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "agent/files.h"
#include "agent/launch.h"
#include "base/disk_space.h"
#include "formats/json.h"

namespace dt::agent {

namespace {

constexpr std::chrono::seconds pause{1};            // between tries while the master is away
constexpr std::chrono::seconds pause_when_full{5};  // a try may fetch much

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

// A step that the master's absence or a full disk holds up is tried again: neither is a reason to
// end the allocation, for another one would fare no better.
class Patience {
 public:
  Patience(const Preparation& preparation, const Allocation& allocation, std::stop_token stop)
      : preparation_(preparation), allocation_(allocation), stop_(std::move(stop)) {}

  Status with(const std::function<Status()>& attempt) const {
    while (true) {
      const Status status = attempt();
      if (stop_.stop_requested()) return cancelled("it was not wanted any more");
      const bool is_full = status.code() == Code::resource_exhausted;
      if (status.code() != Code::unavailable && !is_full) return status;
      if (is_full) {
        const std::string what =
            cat("allocation ", allocation_.facts.allocation, " waits: ", status.message());
        preparation_.complain(no_space_left(what, allocation_.folder));
      }
      wait(is_full ? pause_when_full : pause);
    }
  }

 private:
  void wait(std::chrono::seconds time) const {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, stop_, time, [] { return false; });
  }

  const Preparation& preparation_;
  const Allocation& allocation_;
  const std::stop_token stop_;
};

}  // namespace

Result<Fd> prepare_allocation(const Preparation& preparation, const Allocation& allocation,
                              const v1::AssignmentMessage& assignment,
                              const std::stop_token& stop) {
  const AllocationFacts& facts = allocation.facts;
  const Patience patience(preparation, allocation, stop);
  TRY(patience.with([&] { return make_folders(allocation); }));
  TRY(patience.with([&] { return save_assignment(allocation.folder, assignment); }));
  const ContextHash& context = facts.assignment.context;
  if (context) {
    TRY(patience.with(
        [&] { return preparation.contexts.fetch(preparation.client, context, stop).status(); }));
  }
  if (const auto& source = facts.assignment.checkpoint) {
    TRY(patience.with([&] {
      return fetch_checkpoint(preparation.client, allocation.checkpoints, *source, stop);
    }));
  }
  const std::string marker = preparation.contexts.marker(context, facts.config.prepare);
  const Value spec = shim_spec(allocation, preparation.node, preparation.address,
                               preparation.socket_dir, context ? marker : "");
  TRY(patience.with(
      [&] { return replace_file(allocation.folder + "/spec.json", to_json_pretty(spec) + "\n"); }));
  if (stop.stop_requested()) return cancelled("it was not wanted any more");
  return launch_shim(preparation.shim, allocation.folder);
}

}  // namespace dt::agent
