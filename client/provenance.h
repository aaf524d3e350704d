// Where submitted code comes from, as this machine sees it: git's commit, branch, remote and
// uncommitted changes, the command line, user and host. Secrets in remotes and command lines are
// left out. Runs git (no shell, ten seconds at most), so it blocks: not for an interface's thread.
// What cannot be found out stays empty; there are no errors.
#pragma once

#include <string>
#include <vector>

#include "dovetail/v1/experiment.pb.h"

namespace dt::client {

struct ProvenanceQuestion {
  std::string folder;                // of the context; empty: there is none
  std::vector<std::string> command;  // argv of the submitting program
  std::string client;                // "dtctl 0.1.0"
};

::dovetail::v1::Provenance provenance_of(const ProvenanceQuestion& question);

// The parts, for tests.
inline constexpr std::size_t diff_bytes_max = 1024 * 1024;
// "https://user:password@host/x" -> "https://host/x".
std::string without_credentials(const std::string& text);
// As one could type it: quoted for a shell, values of secrets as "***".
std::string scrubbed_command(const std::vector<std::string>& command);

}  // namespace dt::client
