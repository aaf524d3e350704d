// What the shim (or dt-launch) told this rank: the DT_ variables of DESIGN §6, read once at the
// start; nothing else in trial/ reads the environment. Without DT_SOCKET the rank runs alone and
// prints what it would have reported.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "base/value.h"

namespace dt::trial {

struct RankEnvironment {
  std::string socket_path;  // empty: no shim
  std::string token;
  std::string allocation_id;  // names the process group, so a restart never meets old keys
  int rank = 0;
  int size = 1;
  std::string master_address = "127.0.0.1";
  int master_port = 0;
  std::string interfaces;  // GLOO_SOCKET_IFNAME: one name, or several with commas between
  Value hparams = Value::Object{};
  Value config = Value::Object{};
  std::optional<std::int64_t> seed;
  std::string latest_checkpoint;  // a folder to resume from; empty: fresh
  std::string checkpoint_dir;
  int threads = 1;  // OMP_NUM_THREADS; one thread a rank keeps sums in one order
  bool operator==(const RankEnvironment&) const = default;
};

using ReadVariable = std::function<std::optional<std::string>(const std::string& name)>;

Result<RankEnvironment> read_environment(const ReadVariable& variable);
ReadVariable process_variables();

}  // namespace dt::trial
