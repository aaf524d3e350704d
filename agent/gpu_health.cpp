#include "agent/gpu_health.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/cat.h"

namespace dt::agent {
namespace {

constexpr std::array<std::int64_t, 6> faults_of_programs{13, 31, 43, 45, 68, 109};
constexpr const char* way_out = " (once it is mended: dt-agent --clear-slot-faults)";

struct KnownXid {
  std::int64_t number;
  const char* meaning;
};
constexpr std::array<KnownXid, 8> known_xids{{{48, "double-bit ECC error"},
                                              {62, "internal micro-controller halt"},
                                              {64, "row remapping failed"},
                                              {74, "NVLink error"},
                                              {79, "the GPU has fallen off the bus"},
                                              {95, "uncontained ECC error"},
                                              {119, "GSP does not answer"},
                                              {120, "GSP error"}}};

std::string words_of(std::int64_t xid) {
  const auto found = std::find_if(known_xids.begin(), known_xids.end(),
                                  [&](const KnownXid& known) { return known.number == xid; });
  return found == known_xids.end() ? cat("XID ", xid) : cat("XID ", xid, ": ", found->meaning);
}

}  // namespace

bool is_fault_of_program(std::int64_t xid) {
  return std::find(faults_of_programs.begin(), faults_of_programs.end(), xid) !=
         faults_of_programs.end();
}

GpuHealth::GpuHealth(std::vector<Gpu> gpus, FaultBySlot lasting)
    : gpus_(std::move(gpus)), lasting_(std::move(lasting)) {}

void GpuHealth::keep(const std::string& device, const std::string& reason) {
  for (const Gpu& gpu : gpus_) {
    if (gpu.device == device) lasting_.try_emplace(gpu.uuid, reason);
  }
}

void GpuHealth::saw(const XidError& error) {
  if (is_fault_of_program(error.number)) return;
  const bool is_known = std::any_of(gpus_.begin(), gpus_.end(),
                                    [&](const Gpu& gpu) { return gpu.device == error.device; });
  for (const Gpu& gpu : gpus_) {
    if (!is_known || gpu.device == error.device) keep(gpu.device, words_of(error.number));
  }
}

void GpuHealth::saw(const Gpu& gpu, const GpuReading& reading,
                    const std::vector<std::string>& strangers) {
  if (!reading.error.empty()) keep(gpu.device, cat("it does not answer: ", reading.error));
  if (reading.ecc_errors > 0) {
    keep(gpu.device,
         cat("uncorrected ECC errors since the driver was loaded: ", reading.ecc_errors));
  }
  passing_.erase(gpu.uuid);
  if (strangers.empty()) return;
  std::string who;
  for (const std::string& stranger : strangers) who += cat(who.empty() ? "" : ", ", stranger);
  passing_[gpu.uuid] = cat("used by what is no trial of this node: ", who);
}

std::vector<core::SlotFault> GpuHealth::faults() const {
  FaultBySlot all = passing_;
  for (const auto& [slot, reason] : lasting_) all[slot] = reason + way_out;
  std::vector<core::SlotFault> faults;
  for (const auto& [slot, reason] : all) faults.push_back({.slot = slot, .reason = reason});
  return faults;
}

}  // namespace dt::agent
