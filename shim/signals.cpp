#include "shim/signals.h"

#include <sys/signalfd.h>

#include <csignal>

namespace dt::shim {
namespace {

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  return set;
}

}  // namespace

void block_signals(std::initializer_list<int> signals) {
  const sigset_t set = set_of(signals);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  // A file size limit shall be an error of write(), not our death.
  ::signal(SIGXFSZ, SIG_IGN);
}

Signals::Signals(EventLoop& loop, std::initializer_list<int> signals,
                 std::function<void(int)> on_signal)
    : loop_(loop) {
  const sigset_t set = set_of(signals);
  fd_.reset(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  VERIFY(fd_.is_open(), "no signalfd");
  loop_.watch(fd_.get(), [this, on_signal = std::move(on_signal)] {
    signalfd_siginfo info{};
    while (::read(fd_.get(), &info, sizeof info) == sizeof info) {
      on_signal(static_cast<int>(info.ssi_signo));
    }
  });
}

Signals::~Signals() { loop_.unwatch(fd_.get()); }

}  // namespace dt::shim
