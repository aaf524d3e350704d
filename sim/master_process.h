// The master's loop around the brain, in virtual time: a batch is stepped, committed, and only then
// performed, and each of these may be where it dies or where the database goes away. The data path
// (records, parts) goes to the database by itself. One thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/master/master.h"
#include "sim/database.h"
#include "sim/network.h"

namespace dt::sim {

class World;

class MasterProcess {
 public:
  explicit MasterProcess(World& world) : world_(world) {}

  void start();
  void crash();
  // What happens at the next commit: the master dies before or after it, or its outcome is unknown
  // though it was written, or was not.
  enum class Accident { none, dies_before, dies_after, unknown_written, unknown_lost };
  void have_accident(Accident accident) { accident_ = accident; }
  void lose_database(Time until) { database_back_ = std::max(database_back_, until); }
  void heal();

  bool is_up() const { return brain_.has_value(); }
  bool is_calm() const;
  const core::Master& brain() const { return *brain_; }

  // Links.
  LinkPtr open_link(int node, int agent_life);
  void joined(const LinkPtr& link, const core::AgentHello& hello);
  void heard(const LinkPtr& link, const core::Heartbeat& heartbeat);
  void link_broke(const LinkPtr& link);

  // The data path; nothing: unavailable.
  std::optional<core::Marks> push_records(AllocationId allocation,
                                          const std::vector<core::Record>& records);
  bool part_stored(AllocationId allocation, const CheckpointId& id, int part);

  // People's requests.
  using OnReply = std::function<void(const Result<Value>&)>;
  void ask(const std::function<core::MasterEvent(core::ReplyToken)>& make_event, OnReply on_reply);

 private:
  struct Batch {
    core::Writes writes;
    std::vector<core::MasterAction> actions;
  };

  bool has_database() const;
  void post(core::MasterEvent event);
  void step_soon();
  void step_queue();
  void finish(const Batch& batch);
  void resolve(const Batch& batch);
  void write(const core::LoopState& next, const Batch& batch);
  void complete(const Batch& batch);
  void perform(const std::vector<core::MasterAction>& actions);
  void name_marks(const LinkPtr& link);
  void compare_with_database();
  core::LoopState next_state() const;

  World& world_;
  std::optional<core::Master> brain_;
  int life_ = 0;
  core::LoopState state_;
  std::deque<core::MasterEvent> queue_;
  bool busy_ = false;     // a batch is being committed
  bool planned_ = false;  // a step is on its way
  bool stalled_ = false;  // the outcome of a commit is unknown
  Time wake_at_ = never;
  Accident accident_ = Accident::none;
  Time database_back_ = Time::min();
  std::map<std::int64_t, LinkPtr> links_;
  std::map<std::int64_t, std::vector<core::AllocationStatus>> held_;  // by link
  std::map<core::ReplyToken, OnReply> waiting_;
  std::int64_t last_link_ = 0;
  core::ReplyToken last_token_ = 0;
};

}  // namespace dt::sim
