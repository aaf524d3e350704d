// The agent in one object: the brain (core/agent/relay.h), the queue of its events, and what
// performs its actions: the link to the master, the shims, workers for what blocks. run() is the
// one thread that steps the brain; everything else only posts events. A crash is a tested path:
// shims outlive it, and open() finds them again.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "agent/allocation.h"
#include "agent/contexts.h"
#include "agent/data_folder.h"
#include "agent/gpus.h"
#include "agent/link.h"
#include "agent/preparation.h"
#include "agent/shims.h"
#include "agent/spool_reader.h"
#include "agent/workers.h"
#include "base/once_a_minute.h"
#include "client/client.h"
#include "core/agent/relay.h"

namespace dt::agent {

struct AgentOptions {
  std::string master;  // HOST:PORT of its gRPC
  std::string data_dir;
  std::string token_file;
  std::string name;                   // empty: the host's
  std::string address = "127.0.0.1";  // where ranks of other nodes reach this one
  std::string pool = "default";
  GpuChoice gpus;
  bool clear_slot_faults = false;  // what an earlier agent found broken is mended
  int slots = 0;  // CPU shares, also where there are GPUs; 0: one a core
  int cores = 0;  // shared by the slots; 0: all that may be used
  std::string run_as;
  std::string tls_ca;
  bool insecure = false;
};

class Agent {
 public:
  static Result<std::unique_ptr<Agent>> open(const AgentOptions& options);
  ~Agent();

  // Until the agent has left after shut_down(), or cannot go on; then the reason.
  Status run();
  // Kills what it holds, tells the master that it leaves, and ends run(). From any thread.
  void shut_down();

 private:
  struct Local {  // the shell's side of one allocation
    std::optional<Allocation> allocation;
    std::shared_ptr<SpoolReader> spool;  // shared with the read that runs
    std::stop_source fetching;
    std::set<PartId> stored;  // by the agent before this one
  };
  struct Heard {
    core::relay::Event event;
    std::map<AllocationId, v1::AssignmentMessage> assignments;
  };

  Agent(const AgentOptions& options, DataFolder data, std::optional<User> user,
        client::Client client, core::relay::Options brain, NodeFacts node, Gpus gpus);

  void reattach();
  bool reattach(const AllocationId& id);
  void watch_gpus();
  void open_link();
  void hear(const v1::MasterMessage& message);
  void fail(const Status& problem);
  void post(core::relay::Event event,
            std::map<AllocationId, v1::AssignmentMessage> assignments = {});
  Heard next();
  void step(const Heard& heard);
  void greet(const core::Answer& answer);
  void publish_hello();
  void keep_marks(const core::relay::Event& event);
  Local& local(const AllocationId& id);

  void perform(const core::relay::SendHeartbeat& action);
  void perform(const core::relay::Remember& action);
  void perform(const core::relay::Prepare& action);
  void perform(const core::relay::StartRanks& action);
  void perform(const core::relay::TellShim& action);
  void perform(const core::relay::ExtendLease& action);
  void perform(const core::relay::ClearRemains& action);
  void perform(const core::relay::ReadSpool& action);
  void perform(const core::relay::SendRecords& action);
  void perform(const core::relay::UploadPart& action);
  void perform(const core::relay::RemoveFolder& action);
  void perform(const core::relay::WakeAt& action);
  void perform(const core::relay::Leave& action);

  const AgentOptions options_;
  const DataFolder data_;
  const std::optional<User> user_;
  const client::Client client_;
  NodeFacts node_;
  core::AgentHello identity_;  // without what the brain knows
  Contexts contexts_;
  Gpus gpus_;  // until they are watched

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Heard> queue_;  // guarded by mutex_, as are the next two
  v1::HelloMessage hello_;
  Status fatal_;

  // The brain's thread only.
  core::relay::Brain brain_;
  std::map<AllocationId, Local> locals_;
  std::map<AllocationId, v1::AssignmentMessage> assignments_;  // of the last answer
  Time wake_at_ = never;
  bool left_ = false;
  bool announced_ = false;
  std::int64_t session_ = 0;

  OncePerMinute complaints_;       // of the link
  OncePerMinute send_complaints_;  // of workers

  // Last, so that they end first: their threads use what is above.
  std::unique_ptr<Shims> shims_;
  std::unique_ptr<Workers> senders_;    // spools: short, must not wait for transfers
  std::unique_ptr<Workers> transfers_;  // contexts, checkpoints
  std::unique_ptr<Workers> janitor_;    // remains and folders
  std::unique_ptr<GpuWatch> gpu_watch_;  // null: this node gives out CPU shares
  std::unique_ptr<Link> link_;
};

}  // namespace dt::agent
