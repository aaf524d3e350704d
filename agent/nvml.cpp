#include "agent/nvml.h"

#include <dlfcn.h>

#include <array>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "base/cat.h"

namespace dt::agent {
namespace {

// NVML's types and numbers, as its ABI has them.
using Return = int;
using Device = void*;
using EventSet = void*;
constexpr Return success = 0;
constexpr Return driver_not_loaded = 9;
constexpr Return timed_out = 10;
constexpr Return failed = 999;
constexpr unsigned uncorrected = 1;  // nvmlMemoryErrorType_t
constexpr unsigned since_load = 0;   // nvmlEccCounterType_t, “volatile”
constexpr unsigned long long xid_events = 8;
constexpr unsigned text_bytes = 96;
constexpr unsigned processes_max = 256;

struct ProcessInfo {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct EventData {
  Device device;
  unsigned long long type;
  unsigned long long data;
  unsigned gpu_instance;
  unsigned compute_instance;
};

}  // namespace

// What a driver may lack stays null.
struct Nvml::Library {
  void* handle = nullptr;
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*error_string)(Return) = nullptr;
  Return (*device_count)(unsigned*) = nullptr;
  Return (*device_by_index)(unsigned, Device*) = nullptr;
  Return (*uuid)(Device, char*, unsigned) = nullptr;
  Return (*name)(Device, char*, unsigned) = nullptr;
  Return (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
  Return (*mig_count_max)(Device, unsigned*) = nullptr;
  Return (*mig_by_index)(Device, unsigned, Device*) = nullptr;
  Return (*ecc_errors)(Device, unsigned, unsigned, unsigned long long*) = nullptr;
  Return (*processes)(Device, unsigned*, ProcessInfo*) = nullptr;
  Return (*make_events)(EventSet*) = nullptr;
  Return (*free_events)(EventSet) = nullptr;
  Return (*register_events)(Device, unsigned long long, EventSet) = nullptr;
  Return (*wait_events)(EventSet, EventData*, unsigned) = nullptr;

  std::string missing;  // the first needed function that the library has not
  bool is_open = false;
  EventSet events = nullptr;              // of the GPUs that tell their errors; null: none does
  std::map<std::string, Device> devices;  // by uuid

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (events != nullptr) free_events(events);
    if (is_open) shutdown();
    if (handle != nullptr) ::dlclose(handle);
  }

  template <class Function>
  void find(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(::dlsym(handle, symbol));
  }
  template <class Function>
  void need(Function& function, const char* symbol) {
    find(function, symbol);
    if (function == nullptr && missing.empty()) missing = symbol;
  }
  void find_all();
  std::string text(Return (*get)(Device, char*, unsigned), Device device) const;
  void watch(Device device);
};

void Nvml::Library::find_all() {
  need(init, "nvmlInit_v2");
  need(shutdown, "nvmlShutdown");
  need(error_string, "nvmlErrorString");
  need(device_count, "nvmlDeviceGetCount_v2");
  need(device_by_index, "nvmlDeviceGetHandleByIndex_v2");
  need(uuid, "nvmlDeviceGetUUID");
  need(name, "nvmlDeviceGetName");
  find(mig_mode, "nvmlDeviceGetMigMode");
  find(mig_count_max, "nvmlDeviceGetMaxMigDeviceCount");
  find(mig_by_index, "nvmlDeviceGetMigDeviceHandleByIndex");
  find(ecc_errors, "nvmlDeviceGetTotalEccErrors");
  find(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (processes == nullptr) find(processes, "nvmlDeviceGetComputeRunningProcesses_v2");
  find(make_events, "nvmlEventSetCreate");
  find(free_events, "nvmlEventSetFree");
  find(register_events, "nvmlDeviceRegisterEvents");
  find(wait_events, "nvmlEventSetWait_v2");
}

std::string Nvml::Library::text(Return (*get)(Device, char*, unsigned), Device device) const {
  std::array<char, text_bytes> answer{};
  return get(device, answer.data(), text_bytes) == success ? answer.data() : "";
}

void Nvml::Library::watch(Device device) {
  const bool can = make_events != nullptr && free_events != nullptr && register_events != nullptr &&
                   wait_events != nullptr;
  if (!can || (events == nullptr && make_events(&events) != success)) return;
  register_events(device, xid_events,
                  events);  // GPUs that cannot are read now and then all the same
}

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::~Nvml() = default;

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& library) {
  auto nvml = std::make_unique<Library>();
  nvml->handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (nvml->handle == nullptr) return not_found(library, " is not on this machine");
  nvml->find_all();
  if (!nvml->missing.empty()) {
    return unavailable(library, " has no ", nvml->missing, ": its driver is too old")
        .with_hint("a driver of 2020 or later");
  }
  const Return opened = nvml->init();
  if (opened == driver_not_loaded) return not_found("no NVIDIA driver is loaded");
  if (opened != success) {
    return unavailable("NVML cannot be used: ", nvml->error_string(opened))
        .with_hint("nvidia-smi should say the same; a driver that was updated wants a reboot");
  }
  nvml->is_open = true;
  return std::unique_ptr<Nvml>(new Nvml(std::move(nvml)));
}

Result<std::vector<Gpu>> Nvml::gpus(std::vector<std::string>& left_out) {
  unsigned count = 0;
  if (const Return code = library_->device_count(&count); code != success) {
    return unavailable("NVML does not count its GPUs: ", library_->error_string(code));
  }
  std::vector<Gpu> gpus;
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    const Return code = library_->device_by_index(index, &device);
    const std::string uuid = code == success ? library_->text(library_->uuid, device) : "";
    if (uuid.empty()) {
      left_out.push_back(cat("GPU ", index, ": ",
                             code == success ? "it has no UUID" : library_->error_string(code)));
      continue;
    }
    library_->devices[uuid] = device;
    library_->watch(device);
    add_slots(device, uuid, gpus);
  }
  return gpus;
}

// The GPU, or its instances: one in MIG mode computes only through these.
void Nvml::add_slots(void* device, const std::string& uuid, std::vector<Gpu>& gpus) {
  const Library& nvml = *library_;
  unsigned mode = 0, pending = 0, count = 0;
  const bool is_partitioned = nvml.mig_mode != nullptr && nvml.mig_count_max != nullptr &&
                              nvml.mig_by_index != nullptr &&
                              nvml.mig_mode(device, &mode, &pending) == success && mode == 1;
  if (!is_partitioned) {
    gpus.push_back({.uuid = uuid, .model = nvml.text(nvml.name, device), .device = uuid});
    return;
  }
  if (nvml.mig_count_max(device, &count) != success) return;
  for (unsigned index = 0; index < count; ++index) {
    Device instance = nullptr;
    if (nvml.mig_by_index(device, index, &instance) != success) continue;  // not made
    const std::string own = nvml.text(nvml.uuid, instance);
    if (own.empty()) continue;
    library_->devices[own] = instance;
    gpus.push_back({.uuid = own, .model = nvml.text(nvml.name, instance), .device = uuid});
  }
}

GpuReading Nvml::read(const Gpu& gpu) {
  const Library& nvml = *library_;
  const Device device = nvml.devices.at(gpu.device);
  GpuReading reading;
  std::array<char, text_bytes> uuid{};
  if (const Return code = nvml.uuid(device, uuid.data(), text_bytes); code != success) {
    reading.error = nvml.error_string(code);
    return reading;
  }
  unsigned long long errors = 0;
  const bool counted = nvml.ecc_errors != nullptr &&
                       nvml.ecc_errors(device, uncorrected, since_load, &errors) == success;
  if (counted) reading.ecc_errors = static_cast<std::int64_t>(errors);
  std::vector<ProcessInfo> infos(processes_max);
  unsigned count = processes_max;
  const bool listed = nvml.processes != nullptr &&
                      nvml.processes(nvml.devices.at(gpu.uuid), &count, infos.data()) == success;
  for (unsigned i = 0; listed && i < count; ++i) {
    reading.processes.push_back(static_cast<int>(infos[i].pid));
  }
  return reading;
}

std::vector<XidError> Nvml::wait_for_errors(int timeout_ms) {
  const Library& nvml = *library_;
  std::vector<XidError> errors;
  EventData event{};
  Return code = failed;
  for (int wait_ms = timeout_ms; nvml.events != nullptr; wait_ms = 0) {
    code = nvml.wait_events(nvml.events, &event, static_cast<unsigned>(wait_ms));
    if (code != success) break;
    errors.push_back({.device = nvml.text(nvml.uuid, event.device),
                      .number = static_cast<std::int64_t>(event.data)});
  }
  const bool did_wait = code == timed_out || !errors.empty();
  if (!did_wait) std::this_thread::sleep_for(std::chrono::milliseconds(timeout_ms));
  return errors;
}

}  // namespace dt::agent
