#include "shim/keeper.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <set>

#include "base/overload.h"
#include "formats/json.h"
#include "shim/files.h"
#include "shim/process_tree.h"

namespace dt::shim {
namespace {

using namespace core::shim;  // NOLINT: the brain's events and actions are this file's vocabulary

constexpr std::size_t hold_back_bytes = 32 << 20;
constexpr std::size_t go_on_bytes = 16 << 20;
constexpr Duration kill_pause{10};
constexpr int kill_scans = 8;

Options options_of(const Spec& spec) {
  return {.allocation = spec.allocation,
          .node_rank = spec.node_rank,
          .ranks = spec.ranks,
          .has_prepare = spec.prepare.has_value(),
          .binds_port = spec.bind_port,
          .kill_grace = spec.kill_grace,
          .address = spec.address};
}

// The ranks of a node share what one may print, each with enough for any honest log.
std::int64_t output_rate(std::size_t ranks) {
  constexpr std::int64_t least = 512 << 10;
  return std::max(least, OutputReader::bytes_per_second /
                             std::max<std::int64_t>(1, static_cast<std::int64_t>(ranks)));
}

// Group by group first: the kernel ends a group as one, while processes that fork as fast as they
// are killed one by one could go on for ever.
void kill_all(const std::vector<Descendant>& tree) {
  std::set<pid_t> groups;
  for (const Descendant& one : tree) {
    if (one.group > 1 && one.group != ::getpgrp()) groups.insert(one.group);
  }
  for (const pid_t group : groups) ::kill(-group, SIGKILL);
  for (const Descendant& one : tree) {
    if (!one.is_zombie) ::kill(one.pid, SIGKILL);
  }
}

std::int64_t wall_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

}  // namespace

Result<std::unique_ptr<Keeper>> Keeper::create(EventLoop& loop, const std::string& folder,
                                               Spec spec, Hooks hooks) {
  std::unique_ptr<Keeper> keeper(new Keeper(loop, folder, std::move(spec), std::move(hooks)));
  keeper->spool_ = TRY(SpoolWriter::create(loop, folder + "/spool"));
  keeper->listen_to_spool();
  TRY(keeper->create_rank_socket());
  return keeper;
}

Keeper::Keeper(EventLoop& loop, std::string folder, Spec spec, Hooks hooks)
    : loop_(loop),
      folder_(std::move(folder)),
      spec_(std::move(spec)),
      hooks_(std::move(hooks)),
      brain_(options_of(spec_)),
      worker_(loop) {}

Keeper::~Keeper() {
  std::error_code ignored;  // what cannot be removed is only litter
  std::filesystem::remove(socket_place_.path, ignored);
  if (!socket_place_.made_folder.empty()) {
    std::filesystem::remove(socket_place_.made_folder, ignored);
  }
}

Status Keeper::create_rank_socket() {
  socket_place_ = TRY(place_rank_socket(folder_, spec_));
  Fd listener = TRY(listen_at(socket_place_.path));
  const char* path = socket_place_.path.c_str();
  if (spec_.user && ::chown(path, spec_.user->uid, spec_.user->gid) != 0) {
    return file_error(cat("cannot give ", path, " to user ", spec_.user->uid), errno);
  }
  ::chmod(path, 0600);
  RankSocket::Rules rules{.ranks = {spec_.ranks.begin(), spec_.ranks.end()},
                          .token = spec_.token,
                          .features = spec_.features,
                          .checkpoint_dir = spec_.checkpoint_dir};
  RankSocket::Events events{
      .last_seq = [this](int rank) { return brain_.last_safe_rank_seq(rank); },
      .connected = [this](RankConnected event) { tell(std::move(event)); },
      .said = [this](RankSaid event) { tell(std::move(event)); },
      .idle =
          [this](int rank) {
            if (ranks_[rank].ended_boot_ms != 0) conclude(rank);
          },
  };
  socket_ =
      std::make_unique<RankSocket>(loop_, std::move(listener), std::move(rules), std::move(events));
  return {};
}

void Keeper::listen_to_spool() {
  spool_->on({
      .synced =
          [this](std::int64_t appended) {
            tell(Synced{appended});
            if (hooks_.changed) hooks_.changed();
          },
      .troubled =
          [this](const std::string& problem) {
            std::fprintf(stderr, "dt-shim: %s; trying again each second\n", problem.c_str());
            spool_problem_ = problem;
            perform(ReportStatus{});
          },
      .recovered =
          [this] {
            const std::string was = std::exchange(spool_problem_, "");
            tell(RankPrinted{core::node_stream(spec_.node_rank), "shim",
                             cat("output was held back for a while: ", was)});
            perform(ReportStatus{});
          },
  });
}

void Keeper::open() { tell(Opened{}); }

void Keeper::start(StartOrder order) {
  if (brain_.status().phase != core::AllocationPhase::ready) return;  // said again, or too late
  for (auto& [number, command] : order.commands) {
    command.env["DT_SOCKET"] = socket_place_.path;
    command.env["DT_TOKEN"] = spec_.token;
    command.env["DT_ALLOCATION_ID"] = to_text(spec_.allocation);
    ranks_[number].command = std::move(command);
  }
  if (order.environment["variables"].is_array()) {
    Value variables = order.environment["variables"];
    variables.as_array().push_back(Value::Object{
        {"name", "DT_SOCKET"}, {"value", socket_place_.path}, {"reason", "bound by the shim"}});
    order.environment.set("variables", std::move(variables));
  }
  tell(StartOrdered{std::move(order.environment)});
}

// Actions may cause events; they are stepped one after another.
void Keeper::tell(Event event) {
  events_.push_back(std::move(event));
  if (stepping_) return;
  stepping_ = true;
  while (!events_.empty()) {
    const Event next = std::move(events_.front());
    events_.pop_front();
    step(next);
  }
  stepping_ = false;
  hold_sources_back();
}

void Keeper::step(const Event& event) {
  for (const Action& action : brain_.step(EventLoop::now(), event)) {
    std::visit([this](const auto& one) { perform(one); }, action);
  }
}

Value Keeper::status() const {
  Value status = core::to_value(brain_.status());
  Value exits = status["exits"];
  for (Value& exit : exits.as_array()) {
    const auto rank = ranks_.find(static_cast<int>(exit["rank"].as_int()));
    if (rank == ranks_.end()) continue;
    exit.set("ended_boot_ms", rank->second.ended_boot_ms);
    exit.set("ended_wall_ms", rank->second.ended_wall_ms);
  }
  status.set("exits", std::move(exits));
  status.set("shim_pid", static_cast<int>(::getpid()));
  status.set("rank_socket", socket_place_.path);
  status.set("spool_problem", spool_problem_);
  return status;
}

void Keeper::keep_state() {
  worker_.run([path = folder_ + "/state.json", text = to_json_pretty(status()) + "\n"] {
    const Status kept = replace_file(path, text);
    // On a full disk the spool's trouble is reported; the last state is written once it is over.
    if (!kept.ok()) std::fprintf(stderr, "dt-shim: %s\n", kept.message().c_str());
    return Worker::Done();
  });
}

// Actions.

void Keeper::perform(const RunPrepare&) {
  spec_.prepare->command.env["DT_ALLOCATION_ID"] = to_text(spec_.allocation);
  prepare_ = std::make_unique<Prepare>(
      loop_, worker_, *spec_.prepare,
      Prepare::Events{
          .printed =
              [this](const char* output, std::string text) {
                tell(RankPrinted{core::node_stream(spec_.node_rank), output, std::move(text)});
              },
          .ended = [this](PrepareEnded event) { tell(std::move(event)); },
      });
  prepare_->set_reading(!held_back_);
  prepare_->run();
}

void Keeper::perform(const BindPort&) {
  auto held = hold_port(spec_.address);
  if (!held.ok()) return tell(PortFailed{held.status().message()});
  port_ = std::move(held).value();
  tell(PortBound{port_.port});
}

void Keeper::perform(const SpawnRank& action) {
  const int number = action.rank;
  Rank& rank = ranks_[number];
  auto process = spawn(rank.command);
  if (!process.ok()) {
    rank.ended_boot_ms = to_ms(EventLoop::now());
    rank.ended_wall_ms = wall_ms();
    rank.concluded = true;
    return tell(SpawnFailed{number, process.status().message()});
  }
  rank.pid = process->pid;
  const auto reader = [&](Fd fd, const char* output) {
    auto made = std::make_unique<OutputReader>(
        loop_, std::move(fd),
        [this, number, output](std::string text) {
          tell(RankPrinted{number, output, std::move(text)});
        },
        output_rate(spec_.ranks.size()));
    made->set_reading(!held_back_);
    return made;
  };
  rank.out = reader(std::move(process->out), "stdout");
  rank.err = reader(std::move(process->err), "stderr");
  tell(RankSpawned{number});
}

void Keeper::perform(const Append& action) {
  core::Record record = action.record;
  record.time_ms = wall_ms();
  if (record.kind == core::RecordKind::exit) {  // when it was reaped, not when that was stepped
    record.body.set("ended_boot_ms", ranks_[record.stream].ended_boot_ms);
  }
  spool_->append(record);
  if (hooks_.appended) hooks_.appended(record);
}

void Keeper::perform(const Sync&) { spool_->sync(); }

void Keeper::perform(const Acknowledge& action) {
  socket_->send(action.rank, Value::Object{{"type", "ack"}, {"seq", action.rank_seq}});
}

void Keeper::perform(const TellPreempt& action) {
  const std::int64_t left_ms = action.left.count();
  socket_->send(action.rank, Value::Object{{"type", "preempt"}, {"deadline_ms", left_ms}});
}

void Keeper::perform(const TellStop& action) {
  socket_->send(action.rank, Value::Object{{"type", "stop"}});
}

void Keeper::perform(const SignalRank& action) {
  const pid_t pid = ranks_[action.rank].pid;
  if (pid != 0) ::kill(-pid, action.signal);  // its whole process group
}

void Keeper::perform(const KillTree&) {
  killing_ = true;
  if (prepare_) prepare_->abandon();
  for (const auto& [number, rank] : ranks_) {
    if (rank.ended_boot_ms != 0) conclude(number);
  }
  kill_pass();
}

void Keeper::perform(const ReportStatus&) {
  keep_state();
  if (hooks_.changed) hooks_.changed();
}

void Keeper::perform(const WakeAt& action) {
  loop_.cancel(wake_);
  wake_ = loop_.at(action.time, [this] { tell(Woke{}); });
}

void Keeper::perform(const Finish&) {
  if (hooks_.finished) hooks_.finished();
}

// Processes.

void Keeper::kill_pass() {
  bool any_left = true;
  for (int scan = 0; scan < kill_scans && any_left; ++scan) {
    const std::vector<Descendant> tree = descendants_of(::getpid());
    any_left = !tree.empty();
    kill_all(tree);
    reap();
  }
  if (!any_left) return tell(TreeEnded{});
  loop_.at(EventLoop::now() + kill_pause, [this] { kill_pass(); });
}

void Keeper::reap() {
  while (true) {
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    const pid_t pid = info.si_pid;
    const auto found = std::find_if(ranks_.begin(), ranks_.end(),
                                    [&](const auto& entry) { return entry.second.pid == pid; });
    // Its last connection may still wait to be accepted, and only a pid that is not reaped yet
    // shows whose child it is.
    if (found != ranks_.end()) socket_->drain(found->first);
    ::waitpid(pid, nullptr, 0);
    const bool by_signal = info.si_code != CLD_EXITED;
    const int signal = by_signal ? info.si_status : 0;
    const int code = by_signal ? 128 + signal : info.si_status;
    if (found != ranks_.end()) rank_reaped(found->first, found->second, code, signal);
    if (prepare_ && prepare_->pid() == pid) prepare_->reaped(code);
  }
}

void Keeper::rank_reaped(int number, Rank& rank, int code, int signal) {
  rank.pid = 0;
  rank.code = code;
  rank.signal = signal;
  // Code 137: a shell tells so of what it ran.
  rank.out_of_memory = code == 128 + SIGKILL && memory_kills() > memory_kills_;
  memory_kills_ += rank.out_of_memory ? 1 : 0;
  rank.ended_boot_ms = to_ms(EventLoop::now());
  rank.ended_wall_ms = wall_ms();
  conclude(number);
}

// The exit is the last word of its stream: what it printed and said comes first. A checkpoint that
// is still being secured is waited for, unless others wait to be ended.
void Keeper::conclude(int number) {
  Rank& rank = ranks_[number];
  if (rank.concluded) return;
  rank.out->finish();
  rank.err->finish();
  const bool is_idle = socket_->drain(number);
  const bool ended_well = rank.code == 0 || rank.code == 75;
  if (!is_idle && ended_well && !killing_) return;
  rank.concluded = true;
  socket_->drop(number);
  tell(RankEnded{number, rank.code, rank.signal, rank.out_of_memory});
}

void Keeper::hold_sources_back() {
  const std::size_t waiting = spool_->waiting_bytes();
  const bool hold = held_back_ ? waiting > go_on_bytes : waiting > hold_back_bytes;
  if (hold == held_back_) return;
  held_back_ = hold;
  socket_->set_reading(!hold);
  if (prepare_) prepare_->set_reading(!hold);
  for (auto& [number, rank] : ranks_) {
    if (rank.out) rank.out->set_reading(!hold);
    if (rank.err) rank.err->set_reading(!hold);
  }
}

}  // namespace dt::shim
