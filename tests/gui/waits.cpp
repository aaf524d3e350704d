#include "tests/gui/waits.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <utility>

namespace dt::gui {
namespace {

thread_local constinit bool is_watched = false;
std::vector<Wait>* noted = nullptr;  // by the GUI thread alone, the only one that is watched

double now_ms() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

std::string library_of(const void* code) {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return "?";
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Notes what happens between its beginning and its end, if the thread is watched.
class Noted {
 public:
  Noted(const char* function, const void* caller, bool is_lock = false)
      : function_(function), caller_(caller), is_lock_(is_lock) {
    is_on_ = std::exchange(is_watched, false);
    if (is_on_) begin_ms_ = now_ms();
  }
  ~Noted() {
    if (!is_on_) return;
    const int kept = errno;
    const double ms = now_ms() - begin_ms_;
    if (noted == nullptr) noted = new std::vector<Wait>;
    noted->push_back({function_, library_of(caller_), ms, is_lock_});
    errno = kept;
    is_watched = true;
  }
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;

 private:
  const char* function_;
  const void* caller_;
  bool is_lock_;
  bool is_on_ = false;
  double begin_ms_ = 0;
};

}  // namespace

bool watch_waits(bool on) { return std::exchange(is_watched, on); }

std::vector<Wait> take_waits() {
  return noted == nullptr ? std::vector<Wait>() : std::exchange(*noted, {});
}

}  // namespace dt::gui

using dt::gui::next;
using dt::gui::Noted;

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static auto* const real = next<int(pthread_mutex_t*)>("pthread_mutex_lock");
  if (!dt::gui::is_watched) return real(mutex);
  static auto* const real_try = next<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  const int tried = real_try(mutex);
  if (tried != EBUSY) return tried;
  const Noted note("pthread_mutex_lock", __builtin_return_address(0), true);
  return real(mutex);
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static auto* const real = next<int(pthread_cond_t*, pthread_mutex_t*)>("pthread_cond_wait");
  const Noted note("pthread_cond_wait", __builtin_return_address(0));
  return real(condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  static auto* const real =
      next<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait");
  const Noted note("pthread_cond_timedwait", __builtin_return_address(0));
  return real(condition, mutex, until);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  static auto* const real =
      next<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>(
          "pthread_cond_clockwait");
  const Noted note("pthread_cond_clockwait", __builtin_return_address(0));
  return real(condition, mutex, clock, until);
}

int sem_wait(sem_t* semaphore) {
  static auto* const real = next<int(sem_t*)>("sem_wait");
  const Noted note("sem_wait", __builtin_return_address(0));
  return real(semaphore);
}

int pthread_join(pthread_t thread, void** result) {
  static auto* const real = next<int(pthread_t, void**)>("pthread_join");
  const Noted note("pthread_join", __builtin_return_address(0));
  return real(thread, result);
}

int epoll_wait(int epoll, epoll_event* events, int most, int timeout_ms) {
  static auto* const real = next<int(int, epoll_event*, int, int)>("epoll_wait");
  const Noted note("epoll_wait", __builtin_return_address(0));
  return real(epoll, events, most, timeout_ms);
}

// Qt's mutexes, Abseil's (gRPC) and std::future wait by the system call itself.
long syscall(long number, ...) {
  static auto* const real = next<long(long, ...)>("syscall");
  va_list list;
  va_start(list, number);
  long part[6];
  for (long& each : part) each = va_arg(list, long);
  va_end(list);
  const auto call = [&] {
    return real(number, part[0], part[1], part[2], part[3], part[4], part[5]);
  };
  const long what = part[1] & FUTEX_CMD_MASK;
  if (number != SYS_futex || (what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET)) return call();
  const Noted note("futex", __builtin_return_address(0));
  return call();
}

}  // extern "C"
