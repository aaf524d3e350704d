#include "agent/checkpoints.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>

#include "agent/files.h"
#include "dovetail/v1/agent.grpc.pb.h"
#include "formats/sha256.h"

namespace dt::agent {

namespace v1 = ::dovetail::v1;

namespace {

using core::CheckpointFile;
using Kind = core::CheckpointStorageConfig::Kind;

// Worth another try: the network or the master's state, not the files.
bool is_passing(Code code) {
  return code == Code::unavailable || code == Code::deadline_exceeded || code == Code::aborted ||
         code == Code::cancelled || code == Code::unauthenticated ||
         code == Code::resource_exhausted;
}

// Takes each piece of a file once more through the sum.
struct Measure {
  Sha256 sum;
  std::int64_t bytes = 0;

  void add(std::string_view piece) {
    sum.update(piece);
    bytes += static_cast<std::int64_t>(piece.size());
  }
  Status check(const CheckpointFile& file) {
    if (bytes != file.bytes) {
      return data_loss("checkpoint file ", file.path, " has ", bytes, " bytes, not ", file.bytes);
    }
    if (const std::string found = sum.hex(); found != file.sha256) {
      return data_loss("checkpoint file ", file.path, " has the hash ", found, ", not ",
                       file.sha256);
    }
    return {};
  }
};

Status verify_file(const std::string& folder, const CheckpointFile& file) {
  const Fd input = TRY(open_below(folder, file.path));
  Measure measure;
  TRY(read_pieces(input.get(), file.path, [&](std::string_view piece) {
    measure.add(piece);
    return Status();
  }));
  return measure.check(file);
}

Status verify_as(const std::optional<User>& user, const std::string& folder,
                 const CheckpointFile& file) {
  const ActAs as(user);
  return verify_file(folder, file);
}

Result<Fd> create_file(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return file_error("cannot make the folder of " + path, error.value());
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.is_open()) return file_error("cannot open " + path, errno);
  return file;
}

// Files are opened as the user, but no call is made so: its threads would keep the rights.
Result<Fd> open_as(const std::optional<User>& user, const std::string& folder,
                   const std::string& path) {
  const ActAs as(user);
  return open_below(folder, path);
}

Result<Fd> create_as(const std::optional<User>& user, const std::string& path) {
  const ActAs as(user);
  return create_file(path);
}

Status fetch_file(const client::Client& client, const CheckpointPlace& place,
                  const CheckpointFile& file, const std::stop_token& stop) {
  if (!is_safe_relative(file.path)) {
    return invalid_argument("checkpoint file \"", file.path, "\" leads out of its folder");
  }
  const std::string path = cat(place.fetched, "/", file.path);
  const Fd output = TRY(create_as(place.user, path));
  v1::GetBlobRequest request;
  request.set_sha256(file.sha256);
  Measure measure;
  Status written;
  TRY(client.read<v1::AgentLink>(
      &v1::AgentLink::Stub::GetBlob, request,
      [&](const v1::Chunk& chunk) {
        measure.add(chunk.data());
        written = write_all(output.get(), chunk.data(), path);
        return written.ok();
      },
      stop));
  TRY(std::move(written));
  return measure.check(file);
}

Status upload_blob(const client::Client& client, const Fd& input, const AllocationId& allocation,
                   const CheckpointFile& file, const std::stop_token& stop) {
  Status problem;
  bool is_first = true;
  std::string buffer(256 * 1024, '\0');
  const auto next = [&](v1::PutBlobRequest& request) {
    const ssize_t got = ::read(input.get(), buffer.data(), buffer.size());
    if (got < 0) problem = file_error("cannot read " + file.path, errno);
    if (got < 0 || (got == 0 && !is_first)) return false;
    if (std::exchange(is_first, false)) {
      request.set_allocation_id(to_text(allocation));
      request.set_sha256(file.sha256);
      request.set_bytes(file.bytes);
    }
    request.set_data(buffer.substr(0, static_cast<std::size_t>(got)));
    return true;
  };
  const auto stored = client.write<v1::AgentLink>(&v1::AgentLink::Stub::PutBlob, next, stop);
  TRY(std::move(problem));
  return stored.ok() ? Status() : stored.status();
}

Status upload_to_master(const client::Client& client, const std::optional<User>& user,
                        const std::string& folder, const AllocationId& allocation,
                        const std::vector<CheckpointFile>& files, const std::stop_token& stop) {
  v1::HasBlobsRequest request;
  request.set_allocation_id(to_text(allocation));
  for (const CheckpointFile& file : files) request.add_sha256(file.sha256);
  const auto answer =
      TRY(client.call<v1::AgentLink>(&v1::AgentLink::Stub::HasBlobs, request, {.stop = stop}));
  std::set<std::string> missing(answer.missing().begin(), answer.missing().end());
  for (const CheckpointFile& file : files) {
    if (missing.erase(file.sha256) == 0) continue;
    const Fd input = TRY(open_as(user, folder, file.path));
    TRY(upload_blob(client, input, allocation, file, stop));
  }
  return {};
}

Status copy_file(const std::string& from, const std::string& to, const CheckpointFile& file) {
  const Fd input = TRY(open_below(from, file.path));
  const std::string path = cat(to, "/", file.path);
  const std::string temporary = path + ".new";
  const Fd output = TRY(create_file(temporary));
  Measure measure;
  TRY(read_pieces(input.get(), file.path, [&](std::string_view piece) {
    measure.add(piece);
    return write_all(output.get(), piece, temporary);
  }));
  TRY(measure.check(file));
  if (::fsync(output.get()) != 0) return file_error("cannot sync " + temporary, errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return file_error("cannot rename " + temporary, errno);
  }
  return sync_folder(std::filesystem::path(path).parent_path());
}

// A part that lies in the storage already need not be on this node any more.
Status copy_to_folder(const std::optional<User>& user, const std::string& from,
                      const std::string& to, const std::vector<CheckpointFile>& files) {
  const ActAs as(user);
  for (const CheckpointFile& file : files) {
    if (verify_file(to, file).ok()) continue;
    TRY(copy_file(from, to, file));
  }
  return {};
}

void remove_copies(const std::optional<User>& user, const std::string& folder,
                   const std::vector<CheckpointFile>& files) {
  const ActAs as(user);
  std::error_code error;
  for (const CheckpointFile& file : files) {
    if (!is_safe_relative(file.path)) continue;
    std::filesystem::path at = std::filesystem::path(folder) / file.path;
    // Then the folders that became empty, and the checkpoint's own.
    std::filesystem::remove(at, error);
    for (at = at.parent_path(); at.native().size() >= folder.size(); at = at.parent_path()) {
      if (!std::filesystem::is_empty(at, error) || error) break;
      std::filesystem::remove(at, error);
    }
  }
}

}  // namespace

std::string checkpoint_folder(const CheckpointPlace& place, const CheckpointId& checkpoint) {
  if (place.storage.kind == Kind::master) return place.fetched;
  return cat(place.storage.path, "/", checkpoint);
}

Status fetch_checkpoint(const client::Client& client, const CheckpointPlace& place,
                        const core::CheckpointSource& source, const std::stop_token& stop) {
  if (!is_safe_relative(source.id.value)) {
    return invalid_argument("\"", source.id, "\" is no checkpoint id");
  }
  const bool is_in_master = place.storage.kind == Kind::master;
  for (const CheckpointFile& file : source.files) {
    TRY(is_in_master ? fetch_file(client, place, file, stop)
                     : verify_as(place.user, checkpoint_folder(place, source.id), file));
  }
  return {};
}

Status upload_part(const client::Client& client, const CheckpointPlace& place,
                   const AllocationId& allocation, const CheckpointId& checkpoint, int part,
                   const std::vector<core::CheckpointFile>& files, const std::stop_token& stop) {
  if (!is_safe_relative(checkpoint.value)) return {};  // the shim lets no such id pass
  const std::string from = cat(place.written, "/", checkpoint);
  const std::string to = cat(place.storage.path, "/", checkpoint);
  const Status stored = place.storage.kind == Kind::master
                            ? upload_to_master(client, place.user, from, allocation, files, stop)
                            : copy_to_folder(place.user, from, to, files);
  if (!stored.ok() && is_passing(stored.code())) return stored;
  v1::PartStoredRequest request;
  request.set_allocation_id(to_text(allocation));
  request.set_checkpoint_id(checkpoint.value);
  request.set_part(part);
  request.set_failure(stored.ok() ? "" : stored.text());
  const auto told =
      client.call<v1::AgentLink>(&v1::AgentLink::Stub::PartStored, request, {.stop = stop});
  if (!told.ok() && is_passing(told.status().code())) return told.status();
  if (stored.ok()) remove_copies(place.user, from, files);
  return {};
}

}  // namespace dt::agent
