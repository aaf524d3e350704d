// Watch: what changed, in the loop's sequence. A reader that asks for changes older than those kept
// is told to reload.
#include <algorithm>
#include <chrono>
#include <set>

#include "dovetail/v1/watch.grpc.pb.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

constexpr int changes_a_read = 1000;
constexpr Duration wait_slice{1'000};  // so that a reader who left is noticed
constexpr auto heartbeat_every = std::chrono::seconds(10);

class Watcher {
 public:
  Watcher(const Services& services, const v1::WatchRequest& request,
          grpc::ServerWriter<v1::WatchEvent>& writer)
      : services_(services),
        experiment_(request.experiment_id()),
        kinds_(request.kinds().begin(), request.kinds().end()),
        writer_(writer),
        seen_(services.loop.seen()) {}

  Status run(const grpc::ServerContext& context, std::int64_t from) {
    sequence_ = from > 0 ? from : seen_.sequence;
    if (from > 0) TRY(reset_if_too_old());
    if (from > seen_.sequence) TRY(send_reset(seen_.sequence));  // of another history
    auto last_heartbeat = std::chrono::steady_clock::now();
    TRY(send_heartbeat());
    while (!context.IsCancelled()) {
      TRY(send_changes());
      TRY(send_series());
      const auto now = std::chrono::steady_clock::now();
      if (now - last_heartbeat >= heartbeat_every) {
        TRY(send_heartbeat());
        last_heartbeat = now;
      }
      services_.loop.wait_for_change({sequence_, series_version_}, wait_slice);
    }
    return cancelled("the reader left");
  }

 private:
  Status reset_if_too_old() {
    const std::int64_t oldest = TRY(services_.store.oldest_change());
    if (sequence_ + 1 >= oldest) return {};
    return send_reset(seen_.sequence);
  }

  Status send_reset(std::int64_t sequence) {
    sequence_ = sequence;
    v1::WatchEvent event;
    event.set_sequence(sequence_);
    event.set_reset(true);
    return write(event);
  }

  Status send_heartbeat() {
    v1::WatchEvent event;
    event.set_sequence(sequence_);
    event.set_heartbeat(true);
    return write(event);
  }

  Status send_changes() {
    for (;;) {
      const auto changes = TRY(services_.store.changes_after(sequence_, changes_a_read));
      for (const core::ChangeRow& change : changes) {
        sequence_ = change.sequence;
        if (!wants(change.kind, change.experiment)) continue;
        v1::WatchEvent event;
        event.set_sequence(change.sequence);
        event.mutable_change()->set_kind(change.kind);
        event.mutable_change()->set_id(change.id);
        event.mutable_change()->set_experiment_id(change.experiment.value);
        if (change.kind == "trial") event.mutable_change()->set_trial_id(std::stoll(change.id));
        TRY(write(event));
      }
      if (static_cast<int>(changes.size()) < changes_a_read) return {};
    }
  }

  // Only the newest size of each series is told.
  Status send_series() {
    std::map<std::int64_t, Loop::SeriesNews> newest;
    for (const Loop::SeriesNews& news : services_.loop.series_news_after(series_version_)) {
      series_version_ = news.version;
      if (news.series.id != 0 && wants("series", news.experiment)) newest[news.series.id] = news;
    }
    for (const auto& [id, news] : newest) {
      v1::WatchEvent event;
      event.set_sequence(sequence_);
      event.mutable_change()->set_kind("series");
      event.mutable_change()->set_id(std::to_string(id));
      event.mutable_change()->set_experiment_id(news.experiment.value);
      event.mutable_change()->set_trial_id(news.trial.value);
      event.mutable_change()->set_points(news.series.points);
      TRY(write(event));
    }
    return {};
  }

  bool wants(const std::string& kind, ExperimentId experiment) const {
    if (!kinds_.empty() && !kinds_.contains(kind)) return false;
    return experiment_ == 0 || experiment.value == 0 || experiment.value == experiment_;
  }

  Status write(const v1::WatchEvent& event) {
    return writer_.Write(event) ? Status() : cancelled("the reader left");
  }

  const Services& services_;
  const std::int64_t experiment_;
  const std::set<std::string> kinds_;
  grpc::ServerWriter<v1::WatchEvent>& writer_;
  const Loop::Seen seen_;
  std::int64_t sequence_ = 0;
  std::int64_t series_version_ = seen_.series_version;
};

class WatchService final : public v1::Watch::Service {
 public:
  explicit WatchService(const Services& services) : services_(services) {}

  grpc::Status Watch(grpc::ServerContext* context, const v1::WatchRequest* request,
                     grpc::ServerWriter<v1::WatchEvent>* writer) override {
    return handle(*context, services_, Right::person, [&](const Caller&) {
      return Watcher(services_, *request, *writer).run(*context, request->from_sequence());
    });
  }

 private:
  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_watch_service(const Services& services) {
  return std::make_unique<WatchService>(services);
}

}  // namespace dt::master
