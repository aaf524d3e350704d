#include "shim/process_tree.h"

#include <dirent.h>

#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/cat.h"
#include "shim/files.h"

namespace dt::shim {
namespace {

struct Entry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  char state = 0;
};

using Entries = std::map<pid_t, Entry>;

// /proc/<pid>/stat is "pid (name) state parent group …"; the name may hold spaces and parentheses.
std::optional<Entry> entry_of(pid_t pid) {
  const auto stat = read_file(cat("/proc/", pid, "/stat"));
  if (!stat.ok()) return std::nullopt;
  const std::size_t name_end = stat->rfind(')');
  if (name_end == stat->npos || name_end + 4 >= stat->size()) return std::nullopt;
  Entry entry{.pid = pid, .state = (*stat)[name_end + 2]};
  const char* const end = stat->data() + stat->size();
  const auto parent = std::from_chars(stat->data() + name_end + 4, end, entry.parent);
  if (parent.ptr != end) std::from_chars(parent.ptr + 1, end, entry.group);
  return entry;
}

Entries all_entries() {
  Entries entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (!folder) return entries;
  while (const dirent* file = ::readdir(folder.get())) {
    pid_t pid = 0;
    const char* end = file->d_name + std::strlen(file->d_name);
    if (std::from_chars(file->d_name, end, pid).ptr != end) continue;
    if (const auto entry = entry_of(pid)) entries.emplace(pid, *entry);
  }
  return entries;
}

}  // namespace

std::vector<Descendant> descendants_of(pid_t ancestor) {
  const Entries entries = all_entries();
  std::multimap<pid_t, Entry> children;
  for (const auto& [pid, entry] : entries) children.emplace(entry.parent, entry);
  std::vector<Descendant> found;
  std::set<pid_t> tree;
  const auto add_children = [&](pid_t parent) {
    const auto [begin, end] = children.equal_range(parent);
    for (auto it = begin; it != end; ++it) {
      const Entry& entry = it->second;
      found.push_back({entry.pid, entry.state == 'Z', entry.group});
      tree.insert(entry.pid);
    }
  };
  add_children(ancestor);
  for (std::size_t i = 0; i < found.size(); ++i) add_children(found[i].pid);
  for (Descendant& one : found) {
    const bool foreign = entries.contains(one.group) && !tree.contains(one.group);
    if (foreign) one.group = 0;
  }
  return found;
}

bool is_descendant(pid_t pid, pid_t ancestor) {
  // Bounded, since processes that come and go could in theory make the links a circle.
  for (int depth = 0; pid > 1 && depth < 1000; ++depth) {
    const auto entry = entry_of(pid);
    if (!entry) return false;
    if (entry->parent == ancestor) return true;
    pid = entry->parent;
  }
  return false;
}

}  // namespace dt::shim
