// A master for the window's tests, behind a real socket: the API's services over rows in memory
// that the test writes. Calls can be held back, refused and counted, changes told to Watch, and the
// whole stopped and started again at the same port. Any thread.
//
//   FakeMaster master;
//   master.edit([](FakeMaster::Rows& rows) { rows.add_experiment(7, "fashion"); });
//   Session session(master.credentials());
//   ASSERT_TRUE(soon([&] { return session.experiments.is_loaded(); }));
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "client/credentials.h"
#include "dovetail/v1/admin.grpc.pb.h"
#include "dovetail/v1/context.grpc.pb.h"
#include "dovetail/v1/experiment.grpc.pb.h"
#include "dovetail/v1/job.grpc.pb.h"
#include "dovetail/v1/logs.grpc.pb.h"
#include "dovetail/v1/metrics.grpc.pb.h"
#include "dovetail/v1/trial.grpc.pb.h"
#include "dovetail/v1/watch.grpc.pb.h"

namespace dt::gui {

// Runs the event loop until it is so; false after 30 s.
bool soon(const std::function<bool()>& is_so);

class FakeMaster {
 public:
  struct Point {
    std::int64_t step = 0;
    double value = 0;
    std::int64_t time_ms = 0;
  };
  struct Rows {
    std::map<std::int64_t, ::dovetail::v1::Experiment> experiments;
    std::map<std::int64_t, ::dovetail::v1::GetTrialResponse> trials;
    std::map<std::int64_t, ::dovetail::v1::GetSearchResponse> searches;  // by experiment
    std::map<std::int64_t, ::dovetail::v1::GetTrialEnvironmentResponse> environments;  // by trial
    std::map<std::int64_t, ::dovetail::v1::GetTrialProvenanceResponse> provenances;
    std::map<std::int64_t, ::dovetail::v1::Series> series;
    std::map<std::int64_t, std::vector<Point>> points;                  // by series
    std::map<std::int64_t, std::vector<::dovetail::v1::LogLine>> logs;  // by trial
    std::deque<::dovetail::v1::AgentInfo> agents;                       // a row stays where it is
    std::deque<::dovetail::v1::Job> jobs;
    std::map<std::int64_t, ::dovetail::v1::ExplainJobResponse> explanations;
    ::dovetail::v1::ValidateConfigResponse validation;
    // Instead of `validation`, where the answer depends on the text.
    std::function<::dovetail::v1::ValidateConfigResponse(const std::string& yaml)> validate;
    ::dovetail::v1::PreviewSearchResponse preview;
    std::set<std::string> contexts;  // by hash

    // Each with usual values; returns the row, for what is special.
    ::dovetail::v1::Experiment& add_experiment(std::int64_t id, const std::string& name,
                                               const std::string& state = "ACTIVE");
    ::dovetail::v1::Trial& add_trial(std::int64_t id, std::int64_t experiment,
                                     const std::string& state = "RUNNING",
                                     const std::string& hparams_json = "{}");
    // Steps 1, 2, … with these values.
    ::dovetail::v1::Series& add_series(std::int64_t id, std::int64_t trial, int rank,
                                       const std::string& group, const std::string& name,
                                       const std::vector<double>& values);
    ::dovetail::v1::AgentInfo& add_agent(const std::string& name, int count_of_slots);
    void add_log(std::int64_t trial, const std::string& text, int rank = 0,
                 const std::string& output = "stdout");
  };

  FakeMaster();
  ~FakeMaster();
  FakeMaster(const FakeMaster&) = delete;
  FakeMaster& operator=(const FakeMaster&) = delete;

  void start();  // after a stop: at the same port, with all its rows
  void stop();
  client::Credentials credentials() const;

  void edit(const std::function<void(Rows&)>& change);
  void tell(const std::string& kind, const std::string& id, std::int64_t experiment,
            std::int64_t trial = 0, std::int64_t points = 0);
  void tell_reset();

  // By the call's name, "ListExperiments". Held calls wait for release(); refused ones fail.
  void hold(const std::string& call);
  void release();
  void refuse(const std::string& call, grpc::StatusCode code, const std::string& message);
  void allow(const std::string& call);

  int calls(const std::string& call) const;
  int all_calls() const;  // Watch aside
  std::vector<::dovetail::v1::ChangeExperimentsRequest> changes() const;
  std::vector<::dovetail::v1::ContinueExperimentRequest> continuations() const;
  std::vector<::dovetail::v1::CreateExperimentRequest> creations() const;  // refused ones too
  std::vector<::dovetail::v1::GetSeriesRequest> series_requests() const;

  struct State;  // fake_master_state.h

 private:
  std::unique_ptr<State> state_;
  std::vector<std::unique_ptr<grpc::Service>> services_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

}  // namespace dt::gui
