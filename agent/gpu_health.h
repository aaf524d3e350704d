// Which GPUs of a node must not be given out, and why, from what NVML and the kernel tell of them.
// A fault of the hardware lasts until people say that it is mended or the machine is booted anew;
// a stranger's process counts as long as it lives. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/nvml.h"
#include "core/agent/messages.h"

namespace dt::agent {

using FaultBySlot = std::map<std::string, std::string>;  // slot id -> reason

// Errors that a program causes, not the GPU; the numbers are those that NVIDIA's Kubernetes device
// plugin passes over as well.
bool is_fault_of_program(std::int64_t xid);

class GpuHealth {
 public:
  // `lasting`: what an earlier agent of this boot found.
  explicit GpuHealth(std::vector<Gpu> gpus, FaultBySlot lasting = {});

  const std::vector<Gpu>& gpus() const { return gpus_; }
  // An error that names no known GPU may be any one's, so it is every one's.
  void saw(const XidError& error);
  // `strangers`: processes on it that no allocation of this node started, as people know them.
  void saw(const Gpu& gpu, const GpuReading& reading, const std::vector<std::string>& strangers);

  const FaultBySlot& lasting() const { return lasting_; }
  std::vector<core::SlotFault> faults() const;  // by slot id

 private:
  void keep(const std::string& device, const std::string& reason);

  const std::vector<Gpu> gpus_;
  FaultBySlot lasting_;  // the first that was found
  FaultBySlot passing_;
};

}  // namespace dt::agent
