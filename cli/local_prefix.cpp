#include "cli/local_prefix.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/daemon.h"

namespace dt::cli {
namespace {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

// May everyone enter all folders down to it?
bool is_reachable(const fs::path& path) {
  fs::path at;
  for (const fs::path& part : fs::absolute(path).lexically_normal()) {
    at /= part;
    struct stat status {};
    if (::stat(at.c_str(), &status) != 0) return false;
    if (S_ISDIR(status.st_mode) && (status.st_mode & S_IXOTH) == 0) return false;
  }
  return true;
}

Status copy_prefix(const fs::path& prefix, const fs::path& target) {
  std::error_code error;
  for (const char* part : {"include", "lib", "python"}) {
    if (!fs::exists(prefix / part, error)) continue;
    fs::create_directories(target, error);
    fs::copy(prefix / part, target / part,
             fs::copy_options::recursive | fs::copy_options::update_existing, error);
    if (error) return internal("copying ", (prefix / part).string(), ": ", error.message());
  }
  return {};
}

}  // namespace

std::string program_path(const std::string& name) { return (program_folder() / name).string(); }

Result<std::string> stage_prefix(const std::string& dir) {
  const char* named = std::getenv("DT_PREFIX");
  const fs::path prefix = named && *named ? fs::path(named) : program_folder().parent_path();
  if (::geteuid() != 0 || is_reachable(prefix)) return prefix.string();
  const fs::path target = fs::path(dir) / "prefix";
  std::error_code error;
  const bool is_build = fs::exists(prefix / "cmake_install.cmake", error);
  TRY(is_build ? run_program({.name = "installing the harness",
                              .argv = {"cmake", "--install", prefix.string(), "--component",
                                       "trial", "--prefix", target.string()},
                              .environment = {},
                              .log = dir + "/logs/prefix.log"})
               : copy_prefix(prefix, target));
  return target.string();
}

}  // namespace dt::cli
