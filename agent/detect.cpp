#include "agent/detect.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "agent/files.h"

namespace dt::agent {

namespace {

std::string first_line(const std::string& path) {
  const auto text = read_file(path);
  return text.ok() ? text->substr(0, text->find('\n')) : "";
}

std::string variable_or(const char* name, const std::string& path) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : first_line(path);
}

std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address == nullptr) return "";
  if (address->sa_family == AF_INET) {
    const auto* ip = reinterpret_cast<const sockaddr_in*>(address);
    ::inet_ntop(AF_INET, &ip->sin_addr, text.data(), text.size());
  } else if (address->sa_family == AF_INET6) {
    const auto* ip = reinterpret_cast<const sockaddr_in6*>(address);
    ::inet_ntop(AF_INET6, &ip->sin6_addr, text.data(), text.size());
  }
  return text.data();
}

std::string host_of(const std::string& address) {
  if (address.starts_with('[')) return address.substr(1, address.find(']') - 1);
  const std::size_t colon = address.find(':');
  const bool has_port = colon != address.npos && address.find(':', colon + 1) == address.npos;
  return has_port ? address.substr(0, colon) : address;
}

}  // namespace

int usable_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return CPU_COUNT(&cores);
}

std::vector<core::Slot> detect_slots(int wanted) {
  const int count = wanted > 0 ? wanted : usable_cores();
  std::vector<core::Slot> slots;
  for (int i = 0; i < count; ++i) {
    slots.push_back({.id = cat("cpu", i), .kind = core::SlotKind::cpu, .device = "CPU share"});
  }
  return slots;
}

std::string machine_id() { return variable_or("DT_MACHINE_ID", "/etc/machine-id"); }
std::string boot_id() { return variable_or("DT_BOOT_ID", "/proc/sys/kernel/random/boot_id"); }

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string interface_of(const std::string& address) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return "";
  std::string name;
  for (const ifaddrs* at = list; at != nullptr && name.empty(); at = at->ifa_next) {
    if (text_of(at->ifa_addr) == address) name = at->ifa_name;
  }
  ::freeifaddrs(list);
  return name;
}

bool is_loopback(const std::string& address) {
  const std::string host = host_of(address);
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace dt::agent
