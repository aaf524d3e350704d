#include "agent/user.h"

#include <grp.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "agent/files.h"
#include "base/verify.h"

namespace dt::agent {

namespace {

constexpr const char* run_as_hint = "give one with --run-as USER";

std::optional<User> find_user(const std::string& name) {
  std::vector<char> buffer(16 * 1024);
  passwd entry{};
  passwd* found = nullptr;
  ::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) return std::nullopt;
  User user{.uid = entry.pw_uid, .gid = entry.pw_gid, .groups = {}, .name = name};
  int count = 64;
  user.groups.resize(64);
  if (::getgrouplist(name.c_str(), entry.pw_gid, user.groups.data(), &count) < 0) {
    user.groups.resize(static_cast<std::size_t>(count));
    ::getgrouplist(name.c_str(), entry.pw_gid, user.groups.data(), &count);
  }
  user.groups.resize(static_cast<std::size_t>(count));
  return user;
}

// The system call is the thread's own; glibc's wrapper would change every thread.
void set_thread_groups(const std::vector<gid_t>& groups) {
  const long result = ::syscall(SYS_setgroups, groups.size(), groups.data());
  VERIFY(result == 0, "setgroups failed with ", errno);
}

bool may_pass(const struct stat& info, const User& user) {
  const bool in_group = info.st_gid == user.gid || std::find(user.groups.begin(), user.groups.end(),
                                                             info.st_gid) != user.groups.end();
  const mode_t needed = info.st_uid == user.uid ? S_IXUSR : in_group ? S_IXGRP : S_IXOTH;
  return (info.st_mode & needed) != 0;
}

}  // namespace

Result<std::optional<User>> choose_user(const std::string& wanted) {
  if (::geteuid() != 0) {
    const auto user = wanted.empty() ? std::nullopt : find_user(wanted);
    if (wanted.empty() || (user && user->uid == ::geteuid())) return std::optional<User>();
    return permission_denied("only a root agent can run ranks as ", wanted)
        .with_hint("leave --run-as out, or start dt-agent as root");
  }
  std::optional<User> user = find_user(wanted.empty() ? "dovetail" : wanted);
  if (!user && wanted.empty()) user = find_user("nobody");
  if (!user) {
    return not_found("there is no user ", wanted.empty() ? "dovetail or nobody" : wanted,
                     " to run ranks as")
        .with_hint(run_as_hint);
  }
  if (user->uid == 0) {
    return invalid_argument("ranks are not run as root").with_hint(run_as_hint);
  }
  return user;
}

Status check_reach(const std::string& folder, const std::optional<User>& user) {
  if (!user) return {};
  std::filesystem::path at = std::filesystem::absolute(folder).lexically_normal();
  if (!at.has_filename()) at = at.parent_path();
  for (;; at = at.parent_path()) {
    struct stat info {};
    if (::stat(at.c_str(), &info) != 0) return file_error("cannot look at " + at.string(), errno);
    if (!may_pass(info, *user)) {
      return permission_denied("ranks run as ", user->name, ", who cannot pass through ",
                               at.string())
          .with_hint(cat("choose another folder, or chmod o+x ", at.string()));
    }
    if (at == at.parent_path()) return {};
  }
}

ActAs::ActAs(const std::optional<User>& user) {
  if (!user) return;
  active_ = true;
  own_groups_.resize(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  ::getgroups(static_cast<int>(own_groups_.size()), own_groups_.data());
  set_thread_groups(user->groups);
  ::setfsgid(user->gid);
  ::setfsuid(user->uid);
}

ActAs::~ActAs() {
  if (!active_) return;
  ::setfsuid(0);
  ::setfsgid(0);
  set_thread_groups(own_groups_);
}

}  // namespace dt::agent
