#include "shim/spec.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "core/agent/messages.h"
#include "formats/json.h"
#include "shim/connection.h"
#include "shim/files.h"

namespace dt::shim {
namespace {

Status wrong(const std::string& name, const char* wanted, const Value& value) {
  return invalid_argument(name, " must be ", wanted, ", got ", to_json(value));
}

Result<std::int64_t> integer(const Value& value, const std::string& name) {
  if (!value[name].is_int()) return wrong(name, "an integer", value[name]);
  return value[name].as_int();
}

Result<std::string> text(const Value& value, const std::string& name) {
  if (!value[name].is_string()) return wrong(name, "a text", value[name]);
  return value[name].as_string();
}

Result<std::string> text_or_empty(const Value& value, const std::string& name) {
  if (value[name].is_null()) return std::string();
  return text(value, name);
}

Result<std::vector<int>> ranks_of(const Value& value) {
  if (!value.is_array()) return wrong("ranks", "a list of ranks", value);
  std::vector<int> ranks;
  for (const Value& rank : value.as_array()) {
    if (!rank.is_int() || rank.as_int() < 0) return wrong("a rank", "0 or more", rank);
    ranks.push_back(static_cast<int>(rank.as_int()));
  }
  return ranks;
}

Result<std::optional<User>> user_of(const Value& value) {
  if (value["uid"].is_null()) return std::optional<User>();
  const auto uid = static_cast<uid_t>(TRY(integer(value, "uid")));
  const auto gid = static_cast<gid_t>(TRY(integer(value, "gid")));
  if (uid == ::geteuid()) return std::optional<User>();
  if (::geteuid() != 0) {
    return failed_precondition("only root can run ranks as user ", uid, ", this is user ",
                               ::geteuid());
  }
  return std::optional(user_with_groups(uid, gid));
}

Result<std::vector<std::string>> texts(const Value& value, const std::string& name) {
  std::vector<std::string> list;
  if (value.is_null()) return list;
  if (!value.is_array()) return wrong(name, "a list of texts", value);
  for (const Value& one : value.as_array()) {
    if (!one.is_string()) return wrong(name, "a list of texts", value);
    list.push_back(one.as_string());
  }
  return list;
}

// The user may pass through `folder` and all above it. Access lists are not looked at.
bool can_enter(const std::filesystem::path& folder, const User& user) {
  for (std::filesystem::path at = folder;; at = at.parent_path()) {
    struct stat info {};
    if (::stat(at.c_str(), &info) != 0) return false;
    const bool in_group =
        info.st_gid == user.gid ||
        std::find(user.groups.begin(), user.groups.end(), info.st_gid) != user.groups.end();
    const mode_t needed = info.st_uid == user.uid ? S_IXUSR : in_group ? S_IXGRP : S_IXOTH;
    if (user.uid != 0 && (info.st_mode & needed) == 0) return false;
    if (at == at.parent_path()) return true;
  }
}

bool fits(const std::string& path, const Spec& spec) {
  if (path.size() > max_socket_path_bytes) return false;
  if (!spec.user) return true;
  return can_enter(std::filesystem::absolute(path).parent_path(), *spec.user);
}

}  // namespace

Result<Command> command_from(const Value& value, const Spec& spec) {
  Command command{.user = spec.user};
  command.cwd = TRY(text_or_empty(value, "cwd"));
  if (command.cwd.empty()) command.cwd = spec.cwd;
  command.argv = TRY(texts(value["argv"], "argv"));
  if (command.argv.empty()) return invalid_argument("argv is empty");
  const Value& env = value["env"];
  if (env.is_null()) return command;
  if (!env.is_object()) return wrong("env", "a map of texts", env);
  for (const auto& [name, member] : env.as_object()) {
    if (!member.is_string()) return wrong(cat("env.", name), "a text", member);
    command.env[name] = member.as_string();
  }
  return command;
}

Result<Spec> spec_from(const Value& value) {
  Spec spec;
  const std::string allocation = TRY(text(value, "allocation"));
  if (!core::parse_allocation_id(allocation, spec.allocation)) {
    return wrong("allocation", "an allocation id", value["allocation"]);
  }
  spec.node_rank = static_cast<int>(TRY(integer(value, "node_rank")));
  spec.ranks = TRY(ranks_of(value["ranks"]));
  spec.bind_port = value["bind_port"] == Value(true);
  spec.address = TRY(text(value, "address"));
  spec.token = TRY(text(value, "token"));
  if (spec.token.empty()) return invalid_argument("token is empty");
  spec.user = TRY(user_of(value));
  spec.cwd = TRY(text_or_empty(value, "cwd"));
  spec.checkpoint_dir = TRY(text_or_empty(value, "checkpoint_dir"));
  spec.socket_dir = TRY(text_or_empty(value, "socket_dir"));
  if (!value["kill_grace_ms"].is_null()) {
    spec.kill_grace = Duration(TRY(integer(value, "kill_grace_ms")));
  }
  spec.features = TRY(texts(value["protocol_features"], "protocol_features"));
  if (!value["prepare"].is_null()) {
    PrepareSpec prepare;
    prepare.command = TRY(command_from(value["prepare"], spec));
    prepare.marker = TRY(text_or_empty(value["prepare"], "marker"));
    spec.prepare = std::move(prepare);
  }
  return spec;
}

Result<SocketPlace> place_rank_socket(const std::string& folder, const Spec& spec) {
  const std::string here = std::filesystem::absolute(folder) / "rank.sock";
  if (fits(here, spec)) return SocketPlace{here, ""};
  if (!spec.socket_dir.empty()) {
    const std::string there =
        cat(spec.socket_dir, "/", to_text(spec.allocation), "-", spec.node_rank, ".sock");
    if (fits(there, spec)) return SocketPlace{there, ""};
  }
  char name[] = "/tmp/dovetail-XXXXXX";
  if (::mkdtemp(name) == nullptr) return file_error("cannot make a folder below /tmp", errno);
  // The ranks' user passes through; the socket itself has its own owner and mode.
  ::chmod(name, 0711);
  return SocketPlace{cat(name, "/rank.sock"), name};
}

}  // namespace dt::shim
