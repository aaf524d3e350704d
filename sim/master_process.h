// The master's loop around the brain, in virtual time: a batch is stepped, committed, and only then
// performed, and each of these may be where it dies or where the database goes away. The data path
// (records, parts) goes to the database by itself. One thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/master/master.h"
#include "sim/database.h"
#include "sim/network.h"

namespace dt::sim {

class World;
class Node;

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
  void slow_database(Time until) { slow_until_ = std::max(slow_until_, until); }
  void stop(Time until);  // as by SIGSTOP
  // The machine's wall clock; a master that runs counts on steadily, the next one begins with it.
  void set_wall_clock(Duration ahead) { wall_ahead_ = ahead; }
  void heal();

  bool is_up() const { return brain_.has_value(); }
  bool is_calm() const;
  const core::Master& brain() const { return *brain_; }
  Time now() const;                           // its clock
  Time wakes_at() const { return wake_at_; }  // by its clock

  // Links.
  LinkPtr open_link(const Node& node);
  void joined(const LinkPtr& link, core::AgentHello hello);
  void heard(const LinkPtr& link, core::Heartbeat heartbeat);
  void link_broke(const LinkPtr& link);

  // The data path; nothing: unavailable.
  std::optional<core::Marks> push_records(AllocationId allocation,
                                          const std::vector<core::Record>& records);
  Stored store_part(const PartKey& key, bool damaged);

  // People's requests.
  using OnReply = std::function<void(const Result<Value>&)>;
  void ask(const std::function<core::MasterEvent(core::ReplyToken)>& make_event, OnReply on_reply);

 private:
  struct Batch {
    core::Writes writes;
    std::vector<core::MasterAction> actions;
  };
  using BatchPtr = std::shared_ptr<Batch>;

  bool has_database() const;
  bool is_stopped() const;
  bool serves_data() const { return brain_ && has_database() && !is_stopped(); }
  void post(core::MasterEvent event);
  void step_soon();
  void step_queue();
  core::Effects step(const core::MasterEvent& event);
  void look_at_pools(const core::Effects& effects);
  Duration commit_time();
  void finish(const BatchPtr& batch);
  void resolve(const BatchPtr& batch);
  void write(const core::LoopState& next, const Batch& batch);
  void complete(const BatchPtr& batch);
  void perform(const std::vector<core::MasterAction>& actions);
  void perform(const core::Reply& reply);
  void perform(const core::SendAnswer& send);
  void perform(const core::RefuseAgent& refuse);
  void perform(const core::WakeMasterAt& wake);
  void name_marks(const LinkPtr& link);
  void leave_a_late_commit();
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
  Time slow_until_ = Time::min();
  Time stopped_until_ = Time::min();
  Duration wall_ahead_{0};
  Duration ahead_{0};  // its own clock
  std::map<std::int64_t, LinkPtr> links_;
  std::map<std::int64_t, std::vector<core::AllocationStatus>> held_;  // by link
  std::map<core::ReplyToken, OnReply> waiting_;
  std::int64_t last_link_ = 0;
  std::int64_t batches_ = 0;
  std::int64_t next_comparison_ = 0;
  std::int64_t steps_ = 0;
  core::ReplyToken last_token_ = 0;
};

}  // namespace dt::sim
