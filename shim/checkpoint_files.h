// Makes the files of an announced checkpoint durable before it is acknowledged (DESIGN §6): each
// exists as a regular file of the announced size and is fsynced, then the folders are. The files
// belong to the rank's user, so no link is followed and nothing outside the folder is opened.
#pragma once

#include <string>

#include "base/status.h"
#include "base/value.h"

namespace dt::shim {

// `body` is that of a checkpoint record; the files lie in `checkpoint_dir`/<id>. Any thread.
Status secure_checkpoint(const std::string& checkpoint_dir, const Value& body);

}  // namespace dt::shim
