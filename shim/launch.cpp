#include "shim/launch.h"

#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "formats/json.h"
#include "shim/files.h"
#include "shim/keeper.h"
#include "shim/signals.h"

namespace dt::shim {
namespace {

constexpr int exit_could_not_run = 125;
constexpr int exit_timeout = 124;
constexpr Duration preempt_time{30'000};
constexpr auto signals = {SIGCHLD, SIGTERM, SIGINT};

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> env;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != text.npos) env[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return env;
}

std::string random_token() {
  unsigned char bytes[32];
  VERIFY(::getrandom(bytes, sizeof bytes, 0) == sizeof bytes, "no random bytes");
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 0xf];
  }
  return token;
}

// The folder of one run, removed at the end unless the user named it.
class RunFolder {
 public:
  static Result<std::unique_ptr<RunFolder>> create(const std::string& wanted) {
    std::error_code problem;
    if (!wanted.empty()) {
      const std::string path = std::filesystem::absolute(wanted);
      if (std::filesystem::exists(path + "/spool")) {
        return already_exists(path, " holds the spool of an earlier run")
            .with_hint("name another --dir");
      }
      std::filesystem::create_directories(path + "/checkpoints", problem);
      if (problem) return file_error(cat("cannot create ", path), problem.value());
      return std::unique_ptr<RunFolder>(new RunFolder(path, false));
    }
    std::string path = std::filesystem::temp_directory_path() / "dt-launch-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) return file_error(cat("cannot create ", path), errno);
    auto folder = std::unique_ptr<RunFolder>(new RunFolder(path, true));
    std::filesystem::create_directories(path + "/checkpoints", problem);
    if (problem) return file_error(cat("cannot create ", path), problem.value());
    return folder;
  }

  ~RunFolder() {
    std::error_code ignored;  // litter below /tmp
    if (temporary_) std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  RunFolder(std::string path, bool temporary) : path_(std::move(path)), temporary_(temporary) {}

  std::string path_;
  bool temporary_;
};

class Launch {
 public:
  explicit Launch(const LaunchOptions& options) : options_(options) {}

  Status open() {
    folder_ = TRY(RunFolder::create(options_.dir));
    loop_ = TRY(EventLoop::create());
    Spec spec{.allocation = {1, ::getpid()},
              .bind_port = true,
              .token = random_token(),
              .cwd = std::filesystem::current_path(),
              .checkpoint_dir = folder_->path() + "/checkpoints"};
    for (int rank = 0; rank < options_.nproc; ++rank) spec.ranks.push_back(rank);
    keeper_ = TRY(Keeper::create(*loop_, folder_->path(), spec,
                                 {.changed = [this] { start_when_ready(); },
                                  .appended = [this](const core::Record& one) { print(one); },
                                  .finished = [this] { loop_->stop(); }}));
    signals_ = std::make_unique<Signals>(*loop_, signals, [this](int one) { on_signal(one); });
    if (options_.timeout) {
      loop_->at(EventLoop::now() + *options_.timeout, [this] { run_out_of_time(); });
    }
    return {};
  }

  int run() {
    keeper_->open();
    loop_->run();
    const core::AllocationStatus status = keeper_->allocation_status();
    if (!status.failure.empty()) std::fprintf(stderr, "dt-launch: %s\n", status.failure.c_str());
    return timed_out_ ? exit_timeout : launch_exit_code(status);
  }

 private:
  void start_when_ready() {
    const core::AllocationStatus status = keeper_->allocation_status();
    if (started_ || status.phase != core::AllocationPhase::ready) return;
    started_ = true;
    const LaunchPlace place{.port = status.port,
                            .checkpoint_dir = folder_->path() + "/checkpoints",
                            .allocation = to_text(status.allocation)};
    StartOrder order;
    for (int rank = 0; rank < options_.nproc; ++rank) {
      order.commands[rank] = {.argv = options_.command,
                              .env = launch_environment(options_, place, rank, own_environment()),
                              .cwd = std::filesystem::current_path()};
    }
    keeper_->start(std::move(order));
  }

  void on_signal(int signal) {
    if (signal == SIGCHLD) return keeper_->reap();
    if (interrupted_) return keeper_->tell(core::shim::KillOrdered{});
    interrupted_ = true;
    std::fprintf(stderr, "dt-launch: the ranks have %d s to stop; once more kills them\n",
                 static_cast<int>(preempt_time.count() / 1000));
    keeper_->tell(core::shim::PreemptOrdered{preempt_time});
  }

  void run_out_of_time() {
    timed_out_ = true;
    std::fprintf(stderr, "dt-launch: the time is over, the ranks are killed\n");
    keeper_->tell(core::shim::KillOrdered{});
  }

  void print(const core::Record& record) {
    if (record.kind == core::RecordKind::log) return print_log(record);
    if (record.kind == core::RecordKind::metrics && options_.metrics) print_metrics(record);
  }

  std::string prefix(int stream) const {
    return options_.nproc > 1 && stream >= 0 ? cat("[", stream, "] ") : "";
  }

  void print_log(const core::Record& record) {
    const std::string& output = record.body["output"].as_string();
    const std::string line = cat(prefix(record.stream), output == "shim" ? "dt-launch: " : "",
                                 record.body["text"].as_string(), "\n");
    std::fputs(line.c_str(), output == "stdout" ? stdout : stderr);
  }

  void print_metrics(const core::Record& record) {
    std::string line = cat(prefix(record.stream), record.body["group"].as_string(), " step ",
                           record.body["step"].as_int());
    for (const auto& [name, value] : record.body["values"].as_object()) {
      line += cat(" ", name, "=", value.is_object() ? "…" : to_json(value));
    }
    std::puts(line.c_str());
  }

  const LaunchOptions& options_;
  std::unique_ptr<RunFolder> folder_;
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<Keeper> keeper_;
  std::unique_ptr<Signals> signals_;
  bool started_ = false;
  bool interrupted_ = false;
  bool timed_out_ = false;
};

}  // namespace

int run_launch(const LaunchOptions& options) {
  block_signals(signals);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    std::fprintf(stderr, "dt-launch: cannot become a subreaper\n");
    return exit_could_not_run;
  }
  Launch launch(options);
  if (const Status opened = launch.open(); !opened.ok()) {
    std::fprintf(stderr, "dt-launch: %s\n", opened.text().c_str());
    return exit_could_not_run;
  }
  return launch.run();
}

}  // namespace dt::shim
