#include "agent/installation.h"

#include <cstdlib>
#include <filesystem>

#include "agent/files.h"
#include "agent/launch.h"

namespace dt::agent {

namespace {

namespace fs = std::filesystem;

// Of a build folder, which links to the sources, and of an installation.
std::string find_python(const std::string& prefix) {
  for (const char* place : {"python", "share/dovetail/python"}) {
    const fs::path folder = fs::path(prefix) / place;
    if (exists(folder / "dovetail" / "__init__.py")) return fs::canonical(folder);
  }
  return "";
}

Status copy_sources(const fs::path& from, const fs::path& to) {
  TRY(make_folder(to, 0755));
  TRY(make_folder(to / "dovetail", 0755));
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from / "dovetail", error)) {
    if (entry.path().extension() != ".py") continue;
    const std::string text = TRY(read_file(entry.path()));
    TRY(replace_file(to / "dovetail" / entry.path().filename(), text, 0644));
  }
  if (error) return file_error(cat("cannot list ", from.string()), error.value());
  return {};
}

}  // namespace

std::string installation_prefix() {
  if (const char* prefix = std::getenv("DT_PREFIX"); prefix != nullptr && *prefix != '\0') {
    return prefix;
  }
  return fs::path(own_folder()).parent_path();
}

Result<std::string> reachable_python(const std::string& prefix, const std::string& data_dir,
                                     const std::optional<User>& user) {
  const std::string folder = find_python(prefix);
  if (folder.empty() || check_reach(folder, user).ok()) return folder;
  const std::string copy = data_dir + "/python";
  TRY(copy_sources(folder, copy));
  return copy;
}

}  // namespace dt::agent
