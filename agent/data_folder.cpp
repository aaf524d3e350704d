#include "agent/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "agent/files.h"
#include "client/client.h"
#include "core/agent/messages.h"
#include "formats/json.h"

namespace dt::agent {

namespace {

Status make_folders(const std::string& path, const std::optional<User>& user) {
  // Ranks pass through; what is secret has a mode of its own.
  TRY(make_folder(path, 0711));
  TRY(make_folder(path + "/allocations", 0711));
  TRY(make_folder(path + "/contexts", 0711));
  TRY(make_folder(path + "/home", 0700));
  if (!user) return {};
  if (::chown((path + "/home").c_str(), user->uid, user->gid) != 0) {
    return file_error(cat("cannot give ", path, "/home to ", user->name), errno);
  }
  return check_reach(path, user);
}

std::int64_t number_or_zero(const Value& value) { return value.is_int() ? value.as_int() : 0; }

}  // namespace

Result<DataFolder> DataFolder::open(const std::string& path, const std::optional<User>& user) {
  std::string absolute = std::filesystem::absolute(path);
  TRY(make_folders(absolute, user));
  absolute = std::filesystem::canonical(absolute);  // archives are not unpacked through links
  const std::string lock_path = absolute + "/lock";
  Fd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.is_open()) return file_error("cannot open " + lock_path, errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return failed_precondition("another dt-agent runs on ", absolute)
        .with_hint("give each agent its own --dir");
  }
  return DataFolder(absolute, std::move(lock));
}

std::string DataFolder::allocation(const AllocationId& id) const {
  return cat(allocations(), "/", id);
}

std::vector<AllocationId> DataFolder::held() const {
  std::vector<AllocationId> ids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(allocations(), error)) {
    AllocationId id;
    if (core::parse_allocation_id(entry.path().filename().string(), id)) ids.push_back(id);
  }
  return ids;
}

Result<core::relay::Options> DataFolder::load() const {
  core::relay::Options options;
  const std::string id_path = path_ + "/agent-id";
  if (!exists(id_path)) TRY(replace_file(id_path, client::new_request_id() + "\n"));
  std::string id = TRY(read_file(id_path));
  while (!id.empty() && id.back() == '\n') id.pop_back();
  if (id.empty()) return data_loss(id_path, " is empty").with_hint(cat("remove ", id_path));
  options.agent = AgentId{id};
  const std::string cluster_path = path_ + "/cluster.json";
  if (!exists(cluster_path)) return options;
  const std::string text = TRY(read_file(cluster_path));
  const Value cluster = TRY(parse_json(text));
  if (cluster["cluster_id"].is_string()) options.cluster_id = cluster["cluster_id"].as_string();
  options.cluster_epoch = number_or_zero(cluster["cluster_epoch"]);
  options.batch_seen = number_or_zero(cluster["batch_seen"]);
  return options;
}

Status DataFolder::remember(const core::relay::Remember& cluster) const {
  const Value value = Value::Object{{"cluster_id", cluster.cluster_id},
                                    {"cluster_epoch", cluster.cluster_epoch},
                                    {"batch_seen", cluster.batch_seen}};
  return replace_file(path_ + "/cluster.json", to_json(value) + "\n");
}

}  // namespace dt::agent
