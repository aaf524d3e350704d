// What the services of a FakeMaster share: rows, what is held or refused, what was asked for, and
// the changes that Watch tells.
#pragma once

#include "tests/unit/gui/fake_master.h"

namespace dt::gui {

struct FakeMaster::State {
  mutable std::mutex mutex;
  std::condition_variable changed;
  Rows rows;
  std::set<std::string> held;
  std::map<std::string, grpc::Status> refused;
  std::map<std::string, int> counts;
  std::vector<::dovetail::v1::WatchEvent> events;
  std::vector<::dovetail::v1::ChangeExperimentsRequest> changes;
  std::vector<::dovetail::v1::ContinueExperimentRequest> continuations;
  std::vector<::dovetail::v1::CreateExperimentRequest> creations;
  std::vector<::dovetail::v1::GetSeriesRequest> series_requests;
  bool is_stopping = false;

  // Counts the call, waits while it is held, and refuses it or does its work under the lock.
  grpc::Status serve(const grpc::ServerContext& context, const std::string& call,
                     const std::function<grpc::Status()>& work);
  // Waits for a change; false when the call is over. For streams.
  bool wait(std::unique_lock<std::mutex>& lock, const grpc::ServerContext& context);
};

std::unique_ptr<grpc::Service> make_fake_experiments(FakeMaster::State& state);
std::unique_ptr<grpc::Service> make_fake_trials(FakeMaster::State& state);
std::unique_ptr<grpc::Service> make_fake_metrics(FakeMaster::State& state);
std::vector<std::unique_ptr<grpc::Service>> make_fake_streams(FakeMaster::State& state);
std::vector<std::unique_ptr<grpc::Service>> make_fake_cluster(FakeMaster::State& state);

inline grpc::Status missing(const std::string& what, std::int64_t id) {
  return {grpc::StatusCode::NOT_FOUND, what + " " + std::to_string(id) + " does not exist"};
}

}  // namespace dt::gui
