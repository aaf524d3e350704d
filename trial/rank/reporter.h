// Says what happens: as messages to the shim, or, without one, as lines on rank 0's standard
// output. Messages leave in the order of the calls. Not thread-safe: the training loop's thread
// only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "trial/rank/environment.h"
#include "trial/rank/rank_socket.h"

namespace dt::trial {

using MetricValues = std::map<std::string, double>;

struct ReportedFile {
  std::string path;  // relative to the checkpoint's folder
  std::int64_t bytes = 0;
  std::string sha256;
  bool operator==(const ReportedFile&) const = default;
};

class Reporter {
 public:
  // Without DT_SOCKET there is nothing to connect to and open() always succeeds.
  // `software`: {name: version} of what this rank runs on, for people.
  static Result<Reporter> open(const RankEnvironment& environment,
                               std::optional<std::int64_t> start_step, Value software = {});

  bool has_shim() const { return socket_ != nullptr; }
  // Every rank may call it; without a shim only rank 0's line is printed.
  void metrics(const std::string& group, std::int64_t step, double epoch,
               const MetricValues& values);
  void progress(double fraction);
  // Rank 0 writes all, so the checkpoint has one part.
  void checkpoint(const std::string& id, std::int64_t step, const std::vector<ReportedFile>& files,
                  Value metadata);
  bool preempt_asked() const { return socket_ && socket_->preempt_asked(); }
  bool stop_asked() const { return socket_ && socket_->stop_asked(); }

  // The last word: why the rank fails, empty if it does not (its exit code says the rest). Waits up
  // to 60 s for acknowledgements and says on stderr what is missing.
  void finish(const std::string& failure);

 private:
  Reporter(int rank, std::unique_ptr<RankSocket> socket)
      : rank_(rank), socket_(std::move(socket)) {}
  void send(Value message);

  int rank_ = 0;
  std::unique_ptr<RankSocket> socket_;
};

}  // namespace dt::trial
