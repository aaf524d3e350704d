#include "bench/fake_agent.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "dovetail/v1/agent.grpc.pb.h"

namespace dt::bench {

namespace v1 = ::dovetail::v1;

// A heartbeat carries everything that changed since the one before; one write is under way at most.
class FakeAgent::Stream final
    : public grpc::ClientBidiReactor<v1::AgentMessage, v1::MasterMessage> {
 public:
  Stream(const client::Client& client, FakeAgentOptions options)
      : client_(client), options_(std::move(options)), stub_(client.stub<v1::AgentLink>()) {
    client_.prepare(context_);
    stub_->async()->Link(&context_, this);
    fill_hello(*writing_.mutable_hello());
    busy_ = true;
    StartWrite(&writing_);
    StartRead(&reading_);
    StartCall();
  }

  void end() {
    context_.TryCancel();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ && pushes_ == 0; });
  }

  bool has_joined() const {
    const std::lock_guard lock(mutex_);
    return session_ != 0;
  }

  void beat_if_due(Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (session_ == 0 || now < beat_at_) return;
    wanted_beat_ = true;
    write_if_free();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    {
      const std::lock_guard lock(mutex_);
      if (reading_.has_answer()) hear(reading_.answer());
    }
    StartRead(&reading_);
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    busy_ = false;
    if (ok) write_if_free();
  }

  void OnDone(const grpc::Status&) override {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

 private:
  struct Held {
    std::string phase = "ready";
    int ranks = 1;
    int first_rank = 0;
    std::int64_t experiment = 0;
    std::string ordered = "run";
  };

  void fill_hello(v1::HelloMessage& hello) const {
    hello.set_agent_id(options_.name);
    hello.set_machine_id(options_.name);
    hello.set_boot_id("bench");
    hello.set_name(options_.name);
    hello.set_address("127.0.0.1");
    hello.set_pool("default");
    for (int slot = 0; slot < options_.slots; ++slot) {
      v1::SlotMessage* out = hello.add_slots();
      out->set_id(cat("cpu", slot));
      out->set_kind("cpu");
    }
  }

  void hear(const v1::AnswerMessage& answer) {
    session_ = answer.session();
    std::map<std::string, Held> held;
    for (const v1::WantedMessage& wanted : answer.wanted()) {
      const auto known = held_.find(wanted.allocation_id());
      Held one = known == held_.end() ? Held() : known->second;
      obey(wanted, known == held_.end(), one);
      held.emplace(wanted.allocation_id(), std::move(one));
    }
    held_ = std::move(held);
    write_if_free();
  }

  void obey(const v1::WantedMessage& wanted, bool is_new, Held& one) {
    if (is_new) {
      one.ranks = std::max(1, wanted.assignment().slot_ids_size());
      one.first_rank = wanted.assignment().first_rank();
      one.experiment = wanted.assignment().experiment_id();
      wanted_beat_ = true;
    }
    if (wanted.order() == "prepare" || one.phase == "ended") return;
    if (wanted.order() == "start" && one.phase == "ready") {
      if (options_.on_start) options_.on_start(one.experiment, Clock::now());
      one.phase = "running";
      wanted_beat_ = true;
    } else if (one.phase == "running") {
      one.phase = "ended";
      push_exits(wanted.allocation_id(), one);
    }
  }

  // The exits are told when their records are stored, as an agent does it.
  void push_exits(const std::string& allocation, const Held& one) {
    struct Push {
      grpc::ClientContext context;
      v1::PushRecordsRequest request;
      v1::PushRecordsResponse response;
    };
    const auto push = std::make_shared<Push>();
    push->request.set_agent_id(options_.name);
    push->request.set_allocation_id(allocation);
    for (int rank = one.first_rank; rank < one.first_rank + one.ranks; ++rank) {
      v1::RecordMessage* record = push->request.add_records();
      record->set_stream(rank);
      record->set_seq(1);
      record->set_kind("exit");
      record->set_body_json(R"({"code":0})");
    }
    client_.prepare(push->context);
    ++pushes_;
    stub_->async()->PushRecords(&push->context, &push->request, &push->response,
                                [this, push](const grpc::Status&) {
                                  const std::lock_guard lock(mutex_);
                                  --pushes_;
                                  wanted_beat_ = true;
                                  write_if_free();
                                  changed_.notify_all();
                                });
  }

  void write_if_free() {
    if (busy_ || !wanted_beat_ || session_ == 0 || done_) return;
    wanted_beat_ = false;
    busy_ = true;
    beat_at_ = Clock::now() + options_.heartbeat;
    writing_.Clear();
    v1::HeartbeatMessage& beat = *writing_.mutable_heartbeat();
    beat.set_agent_id(options_.name);
    beat.set_session(session_);
    beat.set_number(++beats_);
    for (const auto& [id, one] : held_) fill(*beat.add_allocations(), id, one);
    StartWrite(&writing_);
  }

  static void fill(v1::AllocationStatusMessage& status, const std::string& id, const Held& one) {
    status.set_allocation_id(id);
    status.set_phase(one.phase);
    status.set_address("127.0.0.1");
    status.set_port(4000);
    if (one.phase != "ended") return;
    for (int rank = one.first_rank; rank < one.first_rank + one.ranks; ++rank) {
      v1::RankExitMessage* exit = status.add_exits();
      exit->set_rank(rank);
      exit->set_ordered(one.ordered);
      exit->set_seq(1);
    }
  }

  const client::Client& client_;
  const FakeAgentOptions options_;
  std::unique_ptr<v1::AgentLink::Stub> stub_;
  grpc::ClientContext context_;
  v1::AgentMessage writing_;
  v1::MasterMessage reading_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::map<std::string, Held> held_;
  std::int64_t session_ = 0;
  std::int64_t beats_ = 0;
  Clock::time_point beat_at_ = Clock::now();
  bool busy_ = false;
  bool wanted_beat_ = false;
  bool done_ = false;
  int pushes_ = 0;
};

FakeAgent::FakeAgent(const client::Client& client, FakeAgentOptions options)
    : stream_(std::make_unique<Stream>(client, std::move(options))) {}
FakeAgent::~FakeAgent() { stream_->end(); }
bool FakeAgent::has_joined() const { return stream_->has_joined(); }
void FakeAgent::beat_if_due(Clock::time_point now) { stream_->beat_if_due(now); }

}  // namespace dt::bench
