// libnvidia-ml.so.1 for tests: answers from the text file that DT_FAKE_NVML names, read anew at
// each call. Lines: "init CODE" · "gpu UUID CODE ECC NAME…", CODE 0 or what calls for it return ·
// "mig GPU UUID NAME…", which puts that GPU into MIG mode · "process UUID PID" · "xid UUID NUMBER",
// each told once. A device is the number of its line.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int not_found = 6, timed_out = 10;
struct Process {
  unsigned pid;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};
struct Event {
  void* device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};

int xids_told = 0;

std::vector<std::string> lines() {
  std::vector<std::string> all;
  std::ifstream file(getenv("DT_FAKE_NVML"));
  for (std::string line; std::getline(file, line);) all.push_back(line);
  return all;
}

// Word `index` of a line, or all from it on.
std::string word(int line, int index, bool is_rest = false) {
  const std::vector<std::string> all = lines();
  if (line >= static_cast<int>(all.size())) return "";
  std::istringstream text(all[static_cast<std::size_t>(line)]);
  std::string found;
  for (int i = 0; i <= index; ++i) text >> found;
  std::string rest;
  if (is_rest) std::getline(text, rest);
  return found + rest;
}

// The n-th line of this kind (with this second word, unless it is empty), or -1.
int line_of(const std::string& kind, const std::string& second, int n) {
  const int count = static_cast<int>(lines().size());
  for (int line = 0; line < count; ++line) {
    const bool is_it = word(line, 0) == kind && (second.empty() || word(line, 1) == second);
    if (is_it && n-- == 0) return line;
  }
  return -1;
}

void* device_of(int line) { return reinterpret_cast<void*>(static_cast<long>(line) + 1); }
int line_at(void* device) { return static_cast<int>(reinterpret_cast<long>(device)) - 1; }
bool is_mig(void* device) { return word(line_at(device), 0) == "mig"; }
int number(int line, int index) { return atoi(word(line, index).c_str()); }
int code_of(void* device) { return is_mig(device) ? 0 : number(line_at(device), 2); }

}  // namespace

extern "C" {

int nvmlInit_v2() {
  const int line = line_of("init", "", 0);
  return line < 0 ? 0 : number(line, 1);
}
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int code) {
  return code == 15 ? "GPU is lost" : code == 18 ? "Driver/library version mismatch" : "an error";
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  for (*count = 0; line_of("gpu", "", static_cast<int>(*count)) >= 0;) ++*count;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  const int line = line_of("gpu", "", static_cast<int>(index));
  if (line < 0) return not_found;
  *device = device_of(line);
  return code_of(*device);
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned bytes) {
  if (const int code = code_of(device); code != 0) return code;
  snprintf(text, bytes, "%s", word(line_at(device), is_mig(device) ? 2 : 1).c_str());
  return 0;
}
int nvmlDeviceGetName(void* device, char* text, unsigned bytes) {
  snprintf(text, bytes, "%s", word(line_at(device), is_mig(device) ? 3 : 4, true).c_str());
  return 0;
}
int nvmlDeviceGetMigMode(void* device, unsigned* mode, unsigned* pending) {
  *mode = *pending = line_of("mig", word(line_at(device), 1), 0) >= 0 ? 1 : 0;
  return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) {
  *count = 7;
  return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** instance) {
  const int line = line_of("mig", word(line_at(device), 1), static_cast<int>(index));
  if (line < 0) return not_found;
  *instance = device_of(line);
  return 0;
}
int nvmlDeviceGetTotalEccErrors(void* device, unsigned type, unsigned since,
                                unsigned long long* count) {
  if (type != 1 || since != 0) return 2;
  *count = static_cast<unsigned long long>(number(line_at(device), 3));
  return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* infos) {
  const std::string uuid = word(line_at(device), is_mig(device) ? 2 : 1);
  unsigned found = 0;
  for (; found < *count; ++found) {
    const int line = line_of("process", uuid, static_cast<int>(found));
    if (line < 0) break;
    infos[found] = {.pid = static_cast<unsigned>(number(line, 2))};
  }
  *count = found;
  return 0;
}
int nvmlEventSetCreate(void** set) {
  *set = &xids_told;
  return 0;
}
int nvmlEventSetFree(void*) { return 0; }
int nvmlDeviceRegisterEvents(void*, unsigned long long types, void*) { return types == 8 ? 0 : 2; }
int nvmlEventSetWait_v2(void*, Event* event, unsigned timeout_ms) {
  const int line = line_of("xid", "", xids_told);
  if (line < 0) {
    const timespec wait{timeout_ms / 1000, static_cast<long>(timeout_ms % 1000) * 1'000'000};
    nanosleep(&wait, nullptr);
    return timed_out;
  }
  event->data = static_cast<unsigned long long>(number(line, 2));
  event->device = device_of(line_of("gpu", word(line, 1), 0));
  ++xids_told;
  return 0;
}

}  // extern "C"
