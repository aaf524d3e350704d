#include "base/verify.h"

#include <cstdio>
#include <cstdlib>

namespace dt {

void verify_failed(const char* condition, const char* file, int line, const std::string& message) {
  std::fprintf(stderr, "VERIFY(%s) failed at %s:%d: %s\n", condition, file, line, message.c_str());
  std::abort();
}

}  // namespace dt
