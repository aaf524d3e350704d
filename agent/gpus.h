// The GPUs of this node: which there are, and a thread that watches their health while the agent
// lives. Faults that last are kept in a file with the boot in which they were found, so that a new
// agent does not give out what the last one found broken.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agent/gpu_health.h"
#include "agent/nvml.h"

namespace dt::agent {

enum class SlotType { automatic, cpu, cuda };

struct GpuChoice {
  SlotType type = SlotType::automatic;  // automatic: GPUs where there are any
  std::string only;                     // indices or UUIDs, comma between; empty: all
  std::string library = "libnvidia-ml.so.1";
};

struct Gpus {
  std::unique_ptr<Nvml> nvml;  // null: this node gives out CPU shares
  std::vector<Gpu> all;
};

// An error: GPUs are asked for and there are none, or there are some that cannot be used (a node
// that then gave out CPU shares would only look well).
Result<Gpus> find_gpus(const GpuChoice& choice);
std::vector<core::Slot> slots_of(const std::vector<Gpu>& gpus);

// What an earlier agent of this boot found; nothing if the file is of another boot or not there.
FaultBySlot load_faults(const std::string& path, const std::string& boot_id);
Status save_faults(const std::string& path, const std::string& boot_id, const FaultBySlot& faults);

class GpuWatch {
 public:
  struct Options {
    AgentId agent;
    std::string path;  // of the faults' file
    std::string boot_id;
    int look_every_ms = 5'000;
  };
  // `changed` is called with the first look, before the constructor returns, and then from the
  // watch's thread whenever faults differ.
  GpuWatch(Gpus gpus, Options options, std::function<void(std::vector<core::SlotFault>)> changed);

 private:
  void run(const std::stop_token& stop);
  void look();
  void tell();
  std::vector<std::string> strangers(const GpuReading& reading) const;

  const Options options_;
  const std::unique_ptr<Nvml> nvml_;
  const std::function<void(std::vector<core::SlotFault>)> changed_;
  GpuHealth health_;  // the thread's alone, as is what follows
  std::optional<std::vector<core::SlotFault>> told_;
  FaultBySlot saved_;
  std::jthread thread_;
};

}  // namespace dt::agent
