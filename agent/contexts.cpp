#include "agent/contexts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "agent/archive.h"
#include "agent/files.h"
#include "dovetail/v1/context.grpc.pb.h"
#include "formats/sha256.h"

namespace dt::agent {

namespace v1 = ::dovetail::v1;

namespace {

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

Result<std::string> Contexts::fetch(const client::Client& client, const ContextHash& hash,
                                    const std::stop_token& stop) {
  // The hash becomes a path.
  if (!is_sha256(hash.value)) return invalid_argument("\"", hash, "\" is no context hash");
  std::mutex* one = nullptr;
  {
    const std::lock_guard lock(mutex_);
    one = &fetching_[hash];
  }
  const std::lock_guard lock(*one);
  const std::string folder = cat(folder_, "/", hash);
  if (exists(folder)) {
    ::utimensat(AT_FDCWD, folder.c_str(), nullptr, 0);  // used now
    return folder;
  }
  const std::string archive = folder + ".tar.gz";
  const std::string unpacked = folder + ".new";
  std::error_code error;
  std::filesystem::remove_all(unpacked, error);
  Status done = download(client, hash, archive, stop);
  if (done.ok()) done = unpack(archive, unpacked);
  ::unlink(archive.c_str());
  if (!done.ok()) {
    std::filesystem::remove_all(unpacked, error);
    return done;
  }
  if (::rename(unpacked.c_str(), folder.c_str()) != 0) {
    return file_error(cat("cannot rename ", unpacked, " to ", folder), errno);
  }
  return folder;
}

void Contexts::remove_unused(const std::set<ContextHash>& held, Duration age) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> unused;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    // <hash>, <hash>.new, <hash>.<command>.prepared and its lock.
    const ContextHash hash{entry.path().filename().string().substr(0, 64)};
    const fs::path context = fs::path(folder_) / hash.value;
    const bool is_context = is_sha256(hash.value) && !held.contains(hash);
    const auto used =
        fs::last_write_time(fs::exists(context, error) ? context : entry.path(), error);
    if (is_context && fs::file_time_type::clock::now() - used > age) unused.push_back(entry.path());
  }
  for (const fs::path& path : unused) fs::remove_all(path, error);
}

Status Contexts::download(const client::Client& client, const ContextHash& hash,
                          const std::string& path, const std::stop_token& stop) const {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.is_open()) return file_error("cannot open " + path, errno);
  v1::FetchContextRequest request;
  request.set_hash(hash.value);
  Sha256 sum;
  Status written;
  TRY(client.read<v1::Contexts>(
      &v1::Contexts::Stub::FetchContext, request,
      [&](const v1::Chunk& chunk) {
        sum.update(chunk.data());
        written = write_all(file.get(), chunk.data(), path);
        return written.ok();
      },
      stop));
  TRY(std::move(written));
  if (const std::string found = sum.hex(); found != hash.value) {
    return data_loss("context ", hash, " arrived with the hash ", found);
  }
  return {};
}

Status Contexts::unpack(const std::string& archive, const std::string& folder) const {
  TRY(make_folder(folder, 0755));
  if (user_ && ::chown(folder.c_str(), user_->uid, user_->gid) != 0) {
    return file_error(cat("cannot give ", folder, " to ", user_->name), errno);
  }
  {
    const ActAs as(user_);
    TRY(unpack_archive(archive, folder));
  }
  const Fd unpacked(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!unpacked.is_open() || ::syncfs(unpacked.get()) != 0) {
    return file_error("cannot sync " + folder, errno);
  }
  return {};
}

std::string Contexts::marker(const ContextHash& hash, const std::string& command) const {
  return cat(folder_, "/", hash, ".", sha256_hex(command).substr(0, 16), ".prepared");
}

}  // namespace dt::agent
