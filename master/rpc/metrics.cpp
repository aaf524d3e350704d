// Metrics: which series there are, and their points by bucket.
#include "dovetail/v1/metrics.grpc.pb.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

constexpr int series_max = 1000;
constexpr int buckets_max = 100'000;
constexpr std::int64_t answer_max = 2'000'000;  // buckets in all; 150 MB
constexpr int trials_max = 20'000;

class MetricsService final : public v1::Metrics::Service {
 public:
  explicit MetricsService(const Services& services) : services_(services) {}

  grpc::Status ListSeries(grpc::ServerContext* context, const v1::ListSeriesRequest* request,
                          v1::ListSeriesResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return list(*request, *response); });
  }

  grpc::Status GetSeries(grpc::ServerContext* context, const v1::GetSeriesRequest* request,
                         v1::GetSeriesResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return get(*request, *response); });
  }

 private:
  Status list(const v1::ListSeriesRequest& request, v1::ListSeriesResponse& response) {
    if (request.trial_id() == 0 && request.trial_ids().empty() && request.experiment_id() == 0) {
      return invalid_argument("series of what? none of trial_id, trial_ids, experiment_id is given");
    }
    if (request.trial_ids_size() > trials_max) {
      return invalid_argument("trial_ids: ", request.trial_ids_size(), " are given, at most ",
                              trials_max, " are answered at once")
          .with_hint("give experiment_id for all trials of an experiment");
    }
    SeriesFilter filter{.experiment = {request.experiment_id()},
                        .metric_group = request.metric_group(),
                        .name = request.name()};
    for (const std::int64_t id : request.trial_ids()) filter.trials.push_back({id});
    if (request.trial_id() != 0) {
      TRY(services_.store.trial({request.trial_id()}));
      filter.trials.push_back({request.trial_id()});
    }
    if (filter.experiment) TRY(services_.store.experiment(filter.experiment));
    for (const SeriesInfo& info : TRY(services_.store.list_series(filter))) {
      fill(*response.add_series(), info);
    }
    return {};
  }

  static void fill(v1::Series& wire, const SeriesInfo& info) {
    wire.set_id(info.id);
    wire.set_trial_id(info.trial.value);
    wire.set_rank(info.rank);
    wire.set_metric_group(info.metric_group);
    wire.set_name(info.name);
    wire.set_points(info.points);
    wire.set_last_value(info.last_value);
    wire.set_last_step(info.last_step);
    wire.set_min_value(info.min_value);
    wire.set_max_value(info.max_value);
  }

  Status get(const v1::GetSeriesRequest& request, v1::GetSeriesResponse& response) {
    if (request.series_ids_size() > series_max) {
      return invalid_argument("series_ids: ", request.series_ids_size(), " are asked for, at most ",
                              series_max, " are answered at once");
    }
    if (request.buckets() < 0 || request.buckets() > buckets_max) {
      return invalid_argument("buckets: ", request.buckets(), " is not within 0 to ", buckets_max);
    }
    SeriesQuery query{.series = {request.series_ids().begin(), request.series_ids().end()},
                      .from_step = {},
                      .to_step = {},
                      .buckets = request.buckets(),
                      .answer_max = answer_max};
    if (request.has_from_step()) query.from_step = request.from_step();
    if (request.has_to_step()) query.to_step = request.to_step();
    const std::vector<std::vector<Bucket>> found = TRY(services_.store.series(query));
    for (std::size_t i = 0; i < found.size(); ++i) {
      v1::SeriesBuckets* series = response.add_series();
      series->set_series_id(query.series[i]);
      for (const Bucket& bucket : found[i]) fill(*series, bucket);
    }
    return {};
  }

  static void fill(v1::SeriesBuckets& series, const Bucket& bucket) {
    v1::Bucket* wire = series.add_buckets();
    wire->set_first_step(bucket.first_step);
    wire->set_last_step(bucket.last_step);
    wire->set_min(bucket.min);
    wire->set_max(bucket.max);
    wire->set_mean(bucket.mean);
    wire->set_first(bucket.first);
    wire->set_last(bucket.last);
    wire->set_count(bucket.count);
    wire->set_non_finite(bucket.non_finite);
    wire->set_first_time_ms(bucket.first_time_ms);
    wire->set_last_time_ms(bucket.last_time_ms);
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_metrics_service(const Services& services) {
  return std::make_unique<MetricsService>(services);
}

}  // namespace dt::master
