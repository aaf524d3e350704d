// VERIFY(condition, pieces...): ends the process, in release builds too, when one of our own
// invariants is broken. State is in PostgreSQL and a restart is a tested path, so dying early is
// the safe answer. Never use it for what a user, a file, the network or the database can cause.
#pragma once

#include "base/cat.h"

namespace dt {

[[noreturn]] void verify_failed(const char* condition, const char* file, int line,
                                const std::string& message);

}  // namespace dt

#define VERIFY(condition, ...)                                                              \
  (static_cast<bool>(condition)                                                             \
       ? void()                                                                             \
       : ::dt::verify_failed(#condition, __FILE__, __LINE__, ::dt::cat(__VA_ARGS__)))
