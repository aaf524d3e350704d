// The shell around the shim's brain (core/agent/shim.h): turns what happens to processes, sockets,
// disk and clock into events and performs the actions. dt-shim adds the agent's control socket,
// dt-launch a terminal. One thread, the loop's, which must be the one that lives as long as the
// process. The owner calls reap() at SIGCHLD and has made the process a subreaper.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/agent/shim.h"
#include "shim/control_message.h"
#include "shim/out_of_memory.h"
#include "shim/output_reader.h"
#include "shim/port.h"
#include "shim/prepare.h"
#include "shim/rank_socket.h"
#include "shim/spec.h"
#include "shim/spool_writer.h"

namespace dt::shim {

class Keeper {
 public:
  struct Hooks {                    // each may be null
    std::function<void()> changed;  // status() or spooled_bytes()
    std::function<void(const core::Record&)> appended;
    std::function<void()> finished;  // everything is on disk, no process is left
  };

  // Makes the spool and the rank socket in `folder`, which holds nothing of an earlier shim.
  static Result<std::unique_ptr<Keeper>> create(EventLoop& loop, const std::string& folder,
                                                Spec spec, Hooks hooks);
  ~Keeper();  // waits until state.json is written

  void open();
  void start(StartOrder order);
  void tell(core::shim::Event event);
  void reap();

  // The AllocationStatus; beside it when each rank ended, and what is wrong with the spool.
  Value status() const;
  core::AllocationStatus allocation_status() const { return brain_.status(); }
  std::int64_t spooled_bytes() const { return spool_->synced_bytes(); }

 private:
  struct Rank {
    Command command;
    pid_t pid = 0;  // 0: not running
    std::unique_ptr<OutputReader> out;
    std::unique_ptr<OutputReader> err;
    int code = 0;
    int signal = 0;
    bool out_of_memory = false;
    std::int64_t ended_boot_ms = 0;  // 0: it did not end
    std::int64_t ended_wall_ms = 0;
    bool concluded = false;
  };

  Keeper(EventLoop& loop, std::string folder, Spec spec, Hooks hooks);
  Status create_rank_socket();
  void listen_to_spool();

  void step(const core::shim::Event& event);
  void perform(const core::shim::RunPrepare& action);
  void perform(const core::shim::BindPort& action);
  void perform(const core::shim::SpawnRank& action);
  void perform(const core::shim::Append& action);
  void perform(const core::shim::Sync& action);
  void perform(const core::shim::Acknowledge& action);
  void perform(const core::shim::TellPreempt& action);
  void perform(const core::shim::TellStop& action);
  void perform(const core::shim::SignalRank& action);
  void perform(const core::shim::KillTree& action);
  void perform(const core::shim::ReportStatus& action);
  void perform(const core::shim::WakeAt& action);
  void perform(const core::shim::Finish& action);

  void rank_reaped(int number, Rank& rank, int code, int signal);
  void conclude(int number);
  void kill_pass();
  void hold_sources_back();
  void keep_state();

  EventLoop& loop_;
  std::string folder_;
  Spec spec_;
  Hooks hooks_;
  core::shim::Brain brain_;
  std::deque<core::shim::Event> events_;
  bool stepping_ = false;

  std::unique_ptr<SpoolWriter> spool_;
  std::string spool_problem_;
  bool held_back_ = false;
  SocketPlace socket_place_;
  std::unique_ptr<RankSocket> socket_;
  HeldPort port_;
  std::map<int, Rank> ranks_;
  bool killing_ = false;
  std::int64_t memory_kills_ = memory_kills();  // that were before, or are some rank's
  EventLoop::TimerId wake_ = 0;
  Worker worker_;                     // state.json and the marker of prepare
  std::unique_ptr<Prepare> prepare_;  // uses the worker
};

}  // namespace dt::shim
