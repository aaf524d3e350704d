// bench_master: a dt-master in a process of its own with its private PostgreSQL, people who submit
// over gRPC, and simulated agents that speak the real protocol. Options choose what is measured;
// without any, all of it. docs/benchmarks.md has the figures.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/bench.h"
#include "bench/fake_agent.h"
#include "bench/master_process.h"
#include "dovetail/v1/experiment.grpc.pb.h"
#include "master/store/postgres_programs.h"

namespace dt::bench {
namespace {

namespace v1 = ::dovetail::v1;
using namespace std::chrono_literals;

constexpr int clients = 64;
constexpr int pgbench_clients = 32;  // the private PostgreSQL takes 50
constexpr auto measured_for = 5s;

v1::CreateExperimentRequest submission() {
  v1::CreateExperimentRequest request;
  request.set_config_yaml("name: b\nentrypoint: run\nsearcher: {name: single, metric: loss}\n");
  return request;
}

// Connections of their own, as people's clients have them.
std::vector<client::Client> many(const MasterProcess& master, int count) {
  std::vector<client::Client> all;
  for (int i = 0; i < count; ++i) all.push_back(master.person());
  return all;
}

void on_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
}

std::int64_t submit(const client::Client& client) {
  const auto made =
      client.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiment, submission());
  VERIFY(made.ok(), made.status().text());
  return made->experiment_id();
}

// Connects, and lets the master prepare its statements.
void warm_up(const std::vector<client::Client>& people) {
  on_threads(static_cast<int>(people.size()), [&](int i) {
    for (int n = 0; n < 3; ++n) submit(people[static_cast<std::size_t>(i)]);
  });
}

double per_second(std::int64_t count, Clock::duration taken) {
  return static_cast<double>(count) / std::chrono::duration<double>(taken).count();
}

double submit_one_by_one(const MasterProcess& master) {
  const std::vector<client::Client> people = many(master, clients);
  warm_up(people);
  std::atomic<std::int64_t> count = 0;
  const auto begin = Clock::now();
  on_threads(clients, [&](int i) {
    while (Clock::now() < begin + measured_for) {
      submit(people[static_cast<std::size_t>(i)]);
      ++count;
    }
  });
  return per_second(count, Clock::now() - begin);
}

double submit_in_bulk(const MasterProcess& master) {
  constexpr int callers = 4, each = 250;
  const std::vector<client::Client> people = many(master, callers);
  warm_up(people);
  std::atomic<std::int64_t> count = 0;
  const auto begin = Clock::now();
  on_threads(callers, [&](int i) {
    v1::CreateExperimentsRequest request;
    for (int n = 0; n < each; ++n) *request.add_experiments() = submission();
    while (Clock::now() < begin + measured_for) {
      const auto made = people[static_cast<std::size_t>(i)].call<v1::Experiments>(
          &v1::Experiments::Stub::CreateExperiments, request);
      VERIFY(made.ok(), made.status().text());
      count += made->results_size();
    }
  });
  return per_second(count, Clock::now() - begin);
}

// Commits of one row each by as many clients at once, on the same server.
double pgbench(const MasterProcess& master) {
  const auto programs = master::find_postgres_programs();
  VERIFY(programs.ok(), programs.status().text());
  const std::string env = cat("PGSERVICEFILE=", master.service_file(), " ", programs->folder, "/");
  const std::string script = master.service_file() + ".pgbench";
  output_of(cat(env, "psql service=dovetail -qc 'CREATE TABLE bench_rows (x text)' && ",
                "echo \"INSERT INTO bench_rows VALUES ('one row');\" > ", script));
  const std::string said = output_of(cat(env, "pgbench -n -f ", script, " -c ", pgbench_clients,
                                         " -j 2 -T 5 service=dovetail 2>&1"));
  output_of(cat(env, "psql service=dovetail -qc 'DROP TABLE bench_rows'"));
  const std::size_t place = said.find("tps = ");
  VERIFY(place != std::string::npos, "pgbench said: ", said);
  return std::stod(said.substr(place + 6));
}

void measure_submissions() {
  const MasterProcess master;
  const double one_by_one = submit_one_by_one(master);
  const double commits = pgbench(master);
  print_figure("submissions_one_by_one", one_by_one, "1/s");
  print_figure("pgbench_single_row_commits", commits, "1/s");
  print_figure("submissions_to_pgbench_commits", one_by_one / commits, "ratio");
}

void measure_bulk() {
  const MasterProcess master;
  print_figure("submissions_in_bulk", submit_in_bulk(master), "1/s");
}

// When experiments were submitted and when their trial was told to start.
class Stopwatch {
 public:
  void submitted(std::int64_t experiment, Clock::time_point when) {
    const std::lock_guard lock(mutex_);
    submitted_[experiment] = when;
  }
  void started(std::int64_t experiment, Clock::time_point when) {
    const std::lock_guard lock(mutex_);
    started_.try_emplace(experiment, when);
  }
  std::size_t starts() const {
    const std::lock_guard lock(mutex_);
    return started_.size();
  }
  double percentile_ms(double part) const {
    const std::lock_guard lock(mutex_);
    std::vector<double> times_ms;
    for (const auto& [id, when] : submitted_) {
      const auto start = started_.find(id);
      if (start == started_.end()) continue;
      const std::chrono::duration<double, std::milli> taken = start->second - when;
      times_ms.push_back(taken.count());
    }
    VERIFY(times_ms.size() == submitted_.size(), submitted_.size() - times_ms.size(),
           " experiments were never started");
    std::sort(times_ms.begin(), times_ms.end());
    const double last = static_cast<double>(times_ms.size() - 1);
    return times_ms[static_cast<std::size_t>(std::lround(last * part))];
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::int64_t, Clock::time_point> submitted_, started_;
};

struct Nodes {
  std::deque<client::Client> links;  // the agents' connections
  std::vector<std::unique_ptr<FakeAgent>> agents;
};

Nodes join(const MasterProcess& master, int count, int slots, int agents_a_link,
           Stopwatch* stopwatch) {
  Nodes nodes;
  for (int i = 0; i < count; ++i) {
    FakeAgentOptions options{.name = cat("node", i), .slots = slots};
    if (stopwatch != nullptr) {
      options.on_start = [stopwatch](std::int64_t id, Clock::time_point when) {
        stopwatch->started(id, when);
      };
    }
    if (i % agents_a_link == 0) nodes.links.push_back(master.agent());
    nodes.agents.push_back(std::make_unique<FakeAgent>(nodes.links.back(), std::move(options)));
  }
  for (const auto& agent : nodes.agents) {
    while (!agent->has_joined()) std::this_thread::sleep_for(1ms);
  }
  return nodes;
}

void wait_for_starts(const Stopwatch& stopwatch, std::size_t count) {
  const auto patience = Clock::now() + 60s;
  while (stopwatch.starts() < count && Clock::now() < patience) std::this_thread::sleep_for(5ms);
}

// Submissions come at fixed times, whatever the master does with those before.
void measure_latency(double rate) {
  const MasterProcess master;
  Stopwatch stopwatch;
  const Nodes nodes = join(master, 16, 64, 1, &stopwatch);
  const std::vector<client::Client> people = many(master, clients);
  const int uncounted = static_cast<int>(rate), count = uncounted + static_cast<int>(rate * 10);
  std::atomic<int> next = 0;
  const auto begin = Clock::now() + 100ms;
  on_threads(clients, [&](int i) {
    for (int turn = next++; turn < count; turn = next++) {
      const auto due = begin + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(turn / rate));
      std::this_thread::sleep_until(due);
      const std::int64_t id = submit(people[static_cast<std::size_t>(i)]);
      if (turn >= uncounted) stopwatch.submitted(id, due);
    }
  });
  wait_for_starts(stopwatch, static_cast<std::size_t>(count));
  const std::string at = cat("_at_", static_cast<int>(rate), "_per_s");
  print_figure("submit_to_start_p50" + at, stopwatch.percentile_ms(0.5), "ms");
  print_figure("submit_to_start_p99" + at, stopwatch.percentile_ms(0.99), "ms");
}

void measure_starts() {
  const MasterProcess master;
  const client::Client person = master.person();
  Stopwatch stopwatch;
  const Nodes nodes = join(master, 16, 64, 1, &stopwatch);
  constexpr int calls = 16, each = 250;
  const auto begin = Clock::now();
  v1::CreateExperimentsRequest request;
  for (int n = 0; n < each; ++n) *request.add_experiments() = submission();
  for (int call = 0; call < calls; ++call) {
    const auto made =
        person.call<v1::Experiments>(&v1::Experiments::Stub::CreateExperiments, request);
    VERIFY(made.ok(), made.status().text());
  }
  wait_for_starts(stopwatch, std::size_t{calls} * each);
  VERIFY(stopwatch.starts() == std::size_t{calls} * each, stopwatch.starts(), " were started");
  print_figure("starts_end_to_end", per_second(calls * each, Clock::now() - begin), "1/s");
}

void measure_heartbeats(int count) {
  const MasterProcess master;
  const Nodes nodes = join(master, count, 1, 100, nullptr);  // this process has files for so many
  const auto beat_for = [&](Clock::duration time) {
    for (const auto end = Clock::now() + time; Clock::now() < end;) {
      for (const auto& agent : nodes.agents) agent->beat_if_due(Clock::now());
      std::this_thread::sleep_for(20ms);
    }
  };
  beat_for(12s);  // every agent has beaten once, so beats are spread as the joins were
  const double before_s = master.cpu_s();
  const auto begin = Clock::now();
  beat_for(20s);
  const std::chrono::duration<double> taken = Clock::now() - begin;
  print_figure(cat("cpu_of_", count, "_agents_each_10_s"),
               100 * (master.cpu_s() - before_s) / taken.count(), "% of a core");
}

}  // namespace
}  // namespace dt::bench

int main(int count, char** arguments) {
  const std::map<std::string, std::function<void()>> parts = {
      {"submissions", dt::bench::measure_submissions},
      {"bulk", dt::bench::measure_bulk},
      {"latency", [] { dt::bench::measure_latency(500); }},
      {"starts", dt::bench::measure_starts},
      {"heartbeats", [] { dt::bench::measure_heartbeats(2000); }}};
  std::vector<std::string> chosen(arguments + 1, arguments + count);
  if (chosen.empty()) {
    for (const auto& [name, part] : parts) chosen.push_back(name);
  }
  for (const std::string& name : chosen) {
    if (!parts.contains(name)) {
      std::cerr << "usage: bench_master [submissions] [bulk] [latency] [starts] [heartbeats]\n";
      return 2;
    }
  }
  for (const std::string& name : chosen) parts.at(name)();
  return 0;
}
