#include "shim/shim_program.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "base/overload.h"
#include "core/agent/messages.h"
#include "formats/json.h"
#include "shim/control_socket.h"
#include "shim/files.h"
#include "shim/keeper.h"
#include "shim/signals.h"

namespace dt::shim {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_kept_already = 3;
constexpr auto signals = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};

Result<Spec> read_spec(const std::string& folder) {
  const std::string path = folder + "/spec.json";
  const std::string text = TRY(read_file(path));
  const Value value = TRY(parse_json(text));
  auto spec = spec_from(value);
  if (!spec.ok()) return Status(spec.status()).with_context(path);
  return spec;
}

// Leaves word for the agent that the allocation ended before it began.
int fail(const std::string& folder, const AllocationId& allocation, const Status& problem) {
  std::fprintf(stderr, "dt-shim: %s\n", problem.text().c_str());
  const core::AllocationStatus status = {
      .allocation = allocation,
      .phase = core::AllocationPhase::ended,
      .failure = cat("the shim could not begin: ", problem.text()),
      .infrastructure = true};
  const Status kept =
      replace_file(folder + "/state.json", to_json_pretty(core::to_value(status)) + "\n");
  if (!kept.ok()) std::fprintf(stderr, "dt-shim: %s\n", kept.text().c_str());
  return exit_failed;
}

// One shim and what belongs to it.
class Program {
 public:
  explicit Program(std::string folder) : folder_(std::move(folder)) {}

  Status open(Spec spec) {
    loop_ = TRY(EventLoop::create());
    spec_ = spec;
    keeper_ = TRY(
        Keeper::create(*loop_, folder_, std::move(spec),
                       {.changed = [this] { report(); }, .finished = [this] { loop_->stop(); }}));
    const std::string path = folder_ + "/control.sock";
    Fd listener = TRY(listen_at(path));
    ::chmod(path.c_str(), 0600);
    control_ = std::make_unique<ControlSocket>(
        *loop_, std::move(listener), [this](std::string_view line) { return obey(line); },
        [this] { return status_message(); });
    signals_ =
        std::make_unique<Signals>(*loop_, signals, [this](int signal) { on_signal(signal); });
    return {};
  }

  void run() {
    keeper_->open();
    loop_->run();
    ::unlink((folder_ + "/control.sock").c_str());
  }

 private:
  Status obey(std::string_view line) {
    ControlOrder order = TRY(parse_control_line(line, spec_));
    std::visit(Overload{
                   [&](StartOrder& start) { keeper_->start(std::move(start)); },
                   [&](core::shim::Event& event) { keeper_->tell(std::move(event)); },
               },
               order);
    return {};
  }

  void on_signal(int signal) {
    if (signal == SIGCHLD) return keeper_->reap();
    keeper_->tell(core::shim::Interrupted{cat("the shim was told to end by signal ", signal)});
  }

  Value status_message() const {
    return Value::Object{
        {"op", "status"}, {"status", keeper_->status()}, {"spooled", keeper_->spooled_bytes()}};
  }

  void report() {
    if (control_) control_->status_changed();
  }

  std::string folder_;
  Spec spec_;
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<Keeper> keeper_;
  std::unique_ptr<ControlSocket> control_;
  std::unique_ptr<Signals> signals_;
};

// An agent that looks whether the lock is held holds it for a moment itself.
bool take_lock(int lock) {
  constexpr int tries = 50;
  constexpr timespec pause{.tv_nsec = 20'000'000};
  for (int i = 0; i < tries; ++i) {
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) return true;
    ::nanosleep(&pause, nullptr);
  }
  return false;
}

// Descriptors 0 to 2 must be open, or a pipe would take their place.
void open_standard_descriptors() {
  int fd = 0;
  do {
    fd = ::open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= 2);
  if (fd > 2) ::close(fd);
}

}  // namespace

int run_shim(const std::string& folder) {
  open_standard_descriptors();
  block_signals(signals);
  ::setsid();  // fails only for a leader of a session, which is as good
  const std::string lock_path = folder + "/lock";
  const Fd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.is_open()) {
    return fail(folder, {}, file_error(cat("cannot open ", lock_path), errno));
  }
  if (!take_lock(lock.get())) {
    std::fprintf(stderr, "dt-shim: %s is kept by another shim\n", folder.c_str());
    return exit_kept_already;
  }
  if (std::filesystem::exists(folder + "/spool")) {
    // What state.json says is that shim's last word, and the agent reports the allocation lost.
    std::fprintf(stderr, "dt-shim: %s was kept by a shim that died\n", folder.c_str());
    return exit_failed;
  }
  auto spec = read_spec(folder);
  if (!spec.ok()) return fail(folder, {}, spec.status());
  const AllocationId allocation = spec->allocation;
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    return fail(folder, allocation, file_error("cannot become a subreaper", errno));
  }
  Program program(folder);
  if (const Status opened = program.open(std::move(spec).value()); !opened.ok()) {
    return fail(folder, allocation, opened);
  }
  program.run();
  return 0;
}

}  // namespace dt::shim
