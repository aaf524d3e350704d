// Moves checkpoint files between an allocation's folder and the storage that the configuration
// names: the master's content-addressed store, or a folder (directory, shared_fs). What a rank
// wrote is read as its user and never through a link. Any thread.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/user.h"
#include "base/id.h"
#include "base/status.h"
#include "client/client.h"
#include "core/agent/messages.h"
#include "core/model/config.h"

namespace dt::agent {

struct CheckpointPlace {
  core::CheckpointStorageConfig storage;
  std::string written;  // where ranks write: <written>/<checkpoint id>/<path>
  std::string fetched;  // where one to resume from is put
  std::optional<User> user;
};

// Where the files of a checkpoint to resume from lie once it is fetched.
std::string checkpoint_folder(const CheckpointPlace& place, const CheckpointId& checkpoint);

// Puts the files there, each verified by size and hash.
Status fetch_checkpoint(const client::Client& client, const CheckpointPlace& place,
                        const core::CheckpointSource& source, const std::stop_token& stop);

// Stores the files of one part and tells the master so; then the node's copies are removed. An
// error that repeating cannot mend is told to the master as the part's failure, and is no error.
// What is left is worth another try.
Status upload_part(const client::Client& client, const CheckpointPlace& place,
                   const AllocationId& allocation, const CheckpointId& checkpoint, int part,
                   const std::vector<core::CheckpointFile>& files, const std::stop_token& stop);

}  // namespace dt::agent
