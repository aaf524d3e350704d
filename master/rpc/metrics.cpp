// Metrics: which series a trial has, and their points by bucket.
#include "dovetail/v1/metrics.grpc.pb.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

constexpr int series_max = 1000;
constexpr int buckets_max = 100'000;

class MetricsService final : public v1::Metrics::Service {
 public:
  explicit MetricsService(const Services& services) : services_(services) {}

  grpc::Status ListSeries(grpc::ServerContext* context, const v1::ListSeriesRequest* request,
                          v1::ListSeriesResponse* response) override {
    return handle(*context, services_, Right::person, [&](const Caller&) -> Status {
      TRY(services_.store.trial({request->trial_id()}));
      for (const SeriesInfo& info : TRY(services_.store.list_series({request->trial_id()}))) {
        fill(*response->add_series(), info);
      }
      return {};
    });
  }

  grpc::Status GetSeries(grpc::ServerContext* context, const v1::GetSeriesRequest* request,
                         v1::GetSeriesResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return get(*request, *response); });
  }

 private:
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
    for (const std::int64_t id : request.series_ids()) {
      SeriesQuery query{.series = id, .from_step = {}, .to_step = {}, .buckets = request.buckets()};
      if (request.has_from_step()) query.from_step = request.from_step();
      if (request.has_to_step()) query.to_step = request.to_step();
      v1::SeriesBuckets* series = response.add_series();
      series->set_series_id(id);
      for (const Bucket& bucket : TRY(services_.store.series(query))) fill(*series, bucket);
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
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_metrics_service(const Services& services) {
  return std::make_unique<MetricsService>(services);
}

}  // namespace dt::master
