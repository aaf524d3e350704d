#include "agent/node_facts.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "agent/detect.h"
#include "agent/files.h"

namespace dt::agent {
namespace {

namespace fs = std::filesystem;

std::string trimmed(const std::string& text) {
  constexpr const char* blank = " \t\r\n\"";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

// What follows `key` and the separator on the first line that begins with it.
std::string field(const std::string& path, const std::string& key, char separator) {
  std::istringstream text(read_file(path).value_or(""));
  for (std::string line; std::getline(text, line);) {
    const std::size_t at = line.find(separator);
    if (at != line.npos && trimmed(line.substr(0, at)) == key) return trimmed(line.substr(at + 1));
  }
  return "";
}

std::string kernel() {
  utsname names{};
  if (::uname(&names) != 0) return "";
  return cat(names.sysname, " ", names.release, " ", names.machine);
}

std::string memory(const std::string& root) {
  const std::int64_t kib = std::atoll(field(root + "/proc/meminfo", "MemTotal", ':').c_str());
  return kib > 0 ? cat((kib + 512 * 1024) / (1024 * 1024), " GiB") : "";
}

bool is_version(const std::string& word) {
  return word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 …"
std::string driver(const std::string& root) {
  std::istringstream text(field(root + "/proc/driver/nvidia/version", "NVRM version", ':'));
  for (std::string word; text >> word;) {
    if (is_version(word)) return "NVIDIA " + word;
  }
  return "";
}

// "8 × NVIDIA H200"
std::vector<std::string> gpus(const std::string& root) {
  std::map<std::string, int> models;
  std::error_code error;
  for (const auto& gpu : fs::directory_iterator(root + "/proc/driver/nvidia/gpus", error)) {
    const std::string model = field(gpu.path().string() + "/information", "Model", ':');
    if (!model.empty()) ++models[model];
  }
  std::vector<std::string> all;
  for (const auto& [model, count] : models) all.push_back(cat(count, " × ", model));
  return all;
}

}  // namespace

Value node_facts(const std::string& host, const std::string& root) {
  Value::Array facts;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) facts.push_back(Value().set("name", name).set("value", value));
  };
  add("host", host);
  add("os", field(root + "/etc/os-release", "PRETTY_NAME", '='));
  add("kernel", kernel());
  add("processor", field(root + "/proc/cpuinfo", "model name", ':'));
  add("cores", cat(usable_cores()));
  add("memory", memory(root));
  add("driver", driver(root));
  for (const std::string& gpu : gpus(root)) add("gpu", gpu);
  return facts;
}

}  // namespace dt::agent
