#include "base/ending.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "base/verify.h"

namespace dt {

Ending::Ending() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal_fd_ = signalfd(-1, &signals, SFD_CLOEXEC);
  VERIFY(signal_fd_ >= 0, "no signalfd, errno ", errno);
}

Ending::~Ending() { close(signal_fd_); }

int Ending::wait() const {
  signalfd_siginfo info;
  while (read(signal_fd_, &info, sizeof info) != sizeof info) {
  }
  return static_cast<int>(info.ssi_signo);
}

void Ending::end() { kill(getpid(), SIGTERM); }

}  // namespace dt
