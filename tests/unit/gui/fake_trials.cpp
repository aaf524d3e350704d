// The Trials and Metrics services of a FakeMaster.
#include <algorithm>
#include <cmath>

#include "tests/unit/gui/fake_master_state.h"

namespace dt::gui {
namespace {

namespace v1 = ::dovetail::v1;
using Context = grpc::ServerContext;
using Point = FakeMaster::Point;

class Trials final : public v1::Trials::Service {
 public:
  explicit Trials(FakeMaster::State& state) : state_(state) {}

  // By pages whose token is how many came before.
  grpc::Status ListTrials(Context* context, const v1::ListTrialsRequest* request,
                          v1::ListTrialsResponse* response) override {
    return state_.serve(*context, "ListTrials", [&] {
      const int size = request->page().size() > 0 ? request->page().size() : 100;
      const std::string& token = request->page().token();
      int at = 0;
      const int first = token.empty() ? 0 : std::stoi(token);
      for (const auto& [id, trial] : state_.rows.trials) {
        if (trial.trial().experiment_id() != request->experiment_id() || at++ < first) continue;
        if (response->trials_size() == size) {
          response->set_next_page_token(std::to_string(first + size));
          break;
        }
        *response->add_trials() = trial.trial();
      }
      return grpc::Status::OK;
    });
  }

  grpc::Status GetTrial(Context* context, const v1::GetTrialRequest* request,
                        v1::GetTrialResponse* response) override {
    return state_.serve(*context, "GetTrial", [&] {
      const auto found = state_.rows.trials.find(request->id());
      if (found == state_.rows.trials.end()) return missing("trial", request->id());
      *response = found->second;
      return grpc::Status::OK;
    });
  }

  grpc::Status GetTrialEnvironment(Context* context, const v1::GetTrialEnvironmentRequest* request,
                                   v1::GetTrialEnvironmentResponse* response) override {
    return state_.serve(*context, "GetTrialEnvironment", [&] {
      *response = state_.rows.environments[request->id()];
      return grpc::Status::OK;
    });
  }

  grpc::Status GetTrialProvenance(Context* context, const v1::GetTrialProvenanceRequest* request,
                                  v1::GetTrialProvenanceResponse* response) override {
    return state_.serve(*context, "GetTrialProvenance", [&] {
      *response = state_.rows.provenances[request->id()];
      return grpc::Status::OK;
    });
  }

 private:
  FakeMaster::State& state_;
};

void add_to(v1::Bucket& bucket, const Point& point) {
  const bool is_first = bucket.count() + bucket.non_finite() == 0;
  if (is_first) {
    bucket.set_first_step(point.step);
    bucket.set_first(point.value);
    bucket.set_first_time_ms(point.time_ms);
  }
  bucket.set_last_step(point.step);
  bucket.set_last(point.value);
  bucket.set_last_time_ms(point.time_ms);
  if (!std::isfinite(point.value)) return bucket.set_non_finite(bucket.non_finite() + 1);
  const auto count = static_cast<double>(bucket.count());
  bucket.set_min(count == 0 ? point.value : std::min(bucket.min(), point.value));
  bucket.set_max(count == 0 ? point.value : std::max(bucket.max(), point.value));
  bucket.set_mean((bucket.mean() * count + point.value) / (count + 1));
  bucket.set_count(bucket.count() + 1);
}

class Metrics final : public v1::Metrics::Service {
 public:
  explicit Metrics(FakeMaster::State& state) : state_(state) {}

  grpc::Status ListSeries(Context* context, const v1::ListSeriesRequest* request,
                          v1::ListSeriesResponse* response) override {
    return state_.serve(*context, "ListSeries", [&] {
      for (const auto& [id, series] : state_.rows.series) {
        if (wants(*request, series)) *response->add_series() = series;
      }
      return grpc::Status::OK;
    });
  }

  grpc::Status GetSeries(Context* context, const v1::GetSeriesRequest* request,
                         v1::GetSeriesResponse* response) override {
    return state_.serve(*context, "GetSeries", [&] {
      state_.series_requests.push_back(*request);
      for (const std::int64_t id : request->series_ids()) {
        v1::SeriesBuckets& buckets = *response->add_series();
        buckets.set_series_id(id);
        fill(buckets, *request, state_.rows.points[id]);
      }
      return grpc::Status::OK;
    });
  }

 private:
  bool wants(const v1::ListSeriesRequest& request, const v1::Series& series) const {
    const auto& ids = request.trial_ids();
    const std::int64_t trial = series.trial_id();
    const auto found = state_.rows.trials.find(trial);
    const bool is_of_experiment = found != state_.rows.trials.end() &&
                                  request.experiment_id() != 0 &&
                                  found->second.trial().experiment_id() == request.experiment_id();
    const bool is_named =
        trial == request.trial_id() || std::find(ids.begin(), ids.end(), trial) != ids.end();
    return (is_named || is_of_experiment) &&
           (request.metric_group().empty() || request.metric_group() == series.metric_group()) &&
           (request.name().empty() || request.name() == series.name());
  }

  static void fill(v1::SeriesBuckets& buckets, const v1::GetSeriesRequest& request,
                   const std::vector<Point>& points) {
    std::vector<Point> chosen;
    for (const Point& point : points) {
      const bool is_before = request.has_from_step() && point.step < request.from_step();
      const bool is_after = request.has_to_step() && point.step > request.to_step();
      if (!is_before && !is_after) chosen.push_back(point);
    }
    const auto wanted = static_cast<std::size_t>(request.buckets());
    const std::size_t each =
        wanted == 0 ? 1 : std::max<std::size_t>(1, (chosen.size() + wanted - 1) / wanted);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (i % each == 0) buckets.add_buckets();
      add_to(*buckets.mutable_buckets()->rbegin(), chosen[i]);
    }
  }

  FakeMaster::State& state_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_fake_trials(FakeMaster::State& state) {
  return std::make_unique<Trials>(state);
}

std::unique_ptr<grpc::Service> make_fake_metrics(FakeMaster::State& state) {
  return std::make_unique<Metrics>(state);
}

}  // namespace dt::gui
