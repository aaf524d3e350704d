// NVIDIA's management library (NVML), opened at run time: a node without it is a node without GPUs,
// and nothing of ours links to CUDA. The few declarations needed are our own, after NVIDIA's NVML
// API reference. Calls may take milliseconds; one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"

namespace dt::agent {

// What is granted as one slot: a GPU, or an instance of one that is partitioned by MIG.
struct Gpu {
  std::string uuid;    // as CUDA_VISIBLE_DEVICES takes it
  std::string model;   // "NVIDIA H200"
  std::string device;  // uuid of the physical GPU; its own unless it is a MIG instance
  bool operator==(const Gpu&) const = default;
};

struct GpuReading {
  std::string error;            // it does not answer, and why: "GPU is lost"; empty: it does
  std::int64_t ecc_errors = 0;  // uncorrected, since the driver was loaded
  std::vector<int> processes;   // that compute on it
  bool operator==(const GpuReading&) const = default;
};

// A critical error as the driver numbers them (NVIDIA's “XID errors” lists the numbers).
struct XidError {
  std::string device;  // uuid of the physical GPU
  std::int64_t number = 0;
  bool operator==(const XidError&) const = default;
};

class Nvml {
 public:
  // not_found: there is no library, or no driver is loaded; unavailable: it is there and cannot be
  // used, with its own words.
  static Result<std::unique_ptr<Nvml>> open(const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();

  // In the driver's order; one that does not answer is left out and named in `left_out`.
  Result<std::vector<Gpu>> gpus(std::vector<std::string>& left_out);
  GpuReading read(const Gpu& gpu);
  // The errors that came since the last call, waiting for the first at most so long. Sleeps so long
  // where the driver tells none.
  std::vector<XidError> wait_for_errors(int timeout_ms);

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  void add_slots(void* device, const std::string& uuid, std::vector<Gpu>& gpus);

  std::unique_ptr<Library> library_;
};

}  // namespace dt::agent
