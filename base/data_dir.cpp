#include "base/data_dir.h"

#include <unistd.h>

#include <cstdlib>

namespace dt {

std::string default_data_dir() {
  if (const char* dir = std::getenv("DOVETAIL_DIR"); dir && *dir) return dir;
  if (::geteuid() == 0) return "/var/lib/dovetail";
  const char* home = std::getenv("HOME");
  return std::string(home ? home : "/tmp") + "/.local/share/dovetail";
}

}  // namespace dt
