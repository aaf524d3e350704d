// bench_search [cost | quality] [--quick] [--data DIR] [--seeds N] [--workers 4|16] [--no-peers]
//
// Without a word both. cost: what a search costs the master: the processor time of one ask and tell
// (a trial is made and trains to its end) when the search is already large, and the bytes of its
// state. The figures are of the last trials of a whole search. quality: search_quality.h. The peers
// need Python and, once, the network: their packages go into a folder beside this program.
#include <time.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "base/cat.h"
#include "base/rng.h"
#include "bench/bench.h"
#include "bench/search_quality.h"
#include "core/search/method.h"
#include "formats/json.h"

namespace {

using namespace dt;

constexpr int concurrent = 64;
constexpr std::int64_t max_time = 81;

core::HyperparameterSpace eight_axes() {
  core::HyperparameterSpace space;
  for (int i = 0; i < 4; ++i) {
    space[cat("double_", i)] = {core::DoubleParameter{0, 1, {}}};
    space[cat("log_", i)] = {core::LogParameter{10, -5, 0, {}}};
  }
  return space;
}

core::SearcherConfig config_of(decltype(core::SearcherConfig::method) method) {
  return {.metric = "loss", .smaller_is_better = true, .method = std::move(method)};
}

core::SearcherConfig halving(int trials, bool promote) {
  return config_of(core::AsyncHalvingSearch{.num_rungs = 5,
                                            .max_trials = trials,
                                            .divisor = 3,
                                            .max_concurrent_trials = concurrent,
                                            .max_time = max_time,
                                            .promote = promote});
}

// A search whose trials report at each rung, in the order in which they were given out.
class Run {
 public:
  explicit Run(const core::SearcherConfig& config) : searcher_(config, eight_axes(), 1), rng_(1) {
    take(searcher_.start());
  }

  int trials() const { return searcher_.trials_requested(); }
  bool is_over() const { return jobs_.empty(); }
  std::size_t snapshot_bytes() const { return to_json(searcher_.snapshot()).size(); }

  // One event: the next trial reports, and ends where it is at the maximum.
  void step() {
    const core::SearchTrial trial = jobs_.front();
    jobs_.pop_front();
    std::int64_t& time = times_[static_cast<std::size_t>(trial)];
    time = time == 0 ? 1 : time * 3;
    take(searcher_.validation_completed({trial, rng_.unit() / static_cast<double>(time), time}));
    const bool stopped = searcher_.is_stopped(trial);
    if (stopped || time >= max_time) {
      take(searcher_.trial_exited(trial, core::ExitReason::completed));
    } else if (!searcher_.is_paused(trial)) {
      jobs_.push_back(trial);
    }
    sum_ += searcher_.progress();  // the master wants it after every event
  }

 private:
  void take(const core::SearchOperations& operations) {
    for (const core::SearchOperation& operation : operations) {
      if (const auto* create = std::get_if<core::CreateTrial>(&operation)) {
        times_.push_back(0);
        jobs_.push_back(create->trial);
      } else if (const auto* resume = std::get_if<core::ResumeTrial>(&operation)) {
        jobs_.push_back(resume->trial);
      }
    }
  }

  core::Searcher searcher_;
  Rng rng_;
  std::deque<core::SearchTrial> jobs_;
  std::vector<std::int64_t> times_;  // by trial
  double sum_ = 0;
};

double processor_time_us() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

// The mean over the last `measured` trials that are made.
void measure(const char* name, const core::SearcherConfig& config, int trials, int measured) {
  Run run(config);
  while (!run.is_over() && run.trials() < trials - measured) run.step();
  const int first = run.trials();
  const double start_us = processor_time_us();
  while (!run.is_over() && run.trials() < trials) run.step();
  const double taken_us = processor_time_us() - start_us;
  const int made = run.trials() - first;
  if (made == 0) std::cerr << name << " made no trial: its figure means nothing\n";
  bench::print_figure(cat("search.ask_and_tell.", name, ".", trials, "_trials"),
                      taken_us / std::max(made, 1), "us");
  bench::print_figure(cat("search.state.", name, ".", trials, "_trials"),
                      static_cast<double>(run.snapshot_bytes()) / trials, "bytes/trial");
}

void measure_costs() {
  constexpr int many = 100'000;
  const core::RandomSearch random{.max_trials = many, .max_concurrent_trials = concurrent};
  measure("random", config_of(random), many, 10'000);
  measure("async_halving", halving(many, false), many, 10'000);
  measure("async_halving_promote", halving(many, true), many, 10'000);
  const core::AdaptiveAshaSearch adaptive{
      .max_trials = many, .divisor = 3, .max_concurrent_trials = concurrent, .max_time = max_time};
  measure("adaptive_asha", config_of(adaptive), many, 10'000);
  const core::HyperbandSearch hyperband{
      .max_trials = many, .max_concurrent_trials = concurrent, .max_time = max_time};
  measure("hyperband", config_of(hyperband), many, 10'000);
  const core::TpeSearch tpe{.max_trials = 10'000, .max_concurrent_trials = concurrent};
  measure("tpe", config_of(tpe), 10'000, 200);
}

// The traces' folder, as of the other benches.
std::string data_folder() {
  const char* named = std::getenv("DT_BENCH_DATA");
  if (named != nullptr) return named;
  return std::filesystem::exists("shared/data") ? "shared/data" : "../shared/data";
}

// The Python that has the peers' packages.
Result<std::string> prepare_peers(const std::string& script) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string folder = program.parent_path().string() + "/bench-peers";
  const std::string command = cat("python3 '", script, "' --prepare '", folder, "'");
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> line{};
  const bool told = pipe != nullptr && std::fgets(line.data(), line.size(), pipe) != nullptr;
  if (pipe == nullptr || pclose(pipe) != 0 || !told) {
    return unavailable(command, " failed; --no-peers measures ours only");
  }
  const std::string python = line.data();
  return python.substr(0, python.find('\n'));
}

struct Options {
  bool cost = true;
  bool quality = true;
  bool peers = true;
  bench::QualityOptions of_quality;
};

Status take_value(const std::string& word, const std::string& value, Options& options) {
  bench::QualityOptions& quality = options.of_quality;
  if (word == "--data") {
    quality.data = value;
    return {};
  }
  const int number = std::atoi(value.c_str());
  if (word == "--seeds" && number >= 1) {
    quality.seeds = number;
  } else if (word == "--workers" && (number == 4 || number == 16)) {
    quality.workers = number;
  } else {
    return invalid_argument(word, " ", value, " is not understood; there are cost, quality, ",
                            "--quick, --no-peers, --data DIR, --seeds N and --workers 4|16");
  }
  return {};
}

Result<Options> options_of(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "cost" || words[i] == "quality") {
      options.cost = words[i] == "cost";
      options.quality = !options.cost;
    } else if (words[i] == "--quick") {
      options.of_quality.quick = true;
    } else if (words[i] == "--no-peers") {
      options.peers = false;
    } else {
      TRY(take_value(words[i], i + 1 < words.size() ? words[i + 1] : "", options));
      ++i;
    }
  }
  return options;
}

Status run(const std::vector<std::string>& words) {
  Options options = TRY(options_of(words));
  if (options.cost) measure_costs();
  if (!options.quality) return {};
  bench::QualityOptions& quality = options.of_quality;
  if (quality.data.empty()) quality.data = data_folder();
  for (const std::string& folder : {quality.data, data_folder()}) {
    const std::string file = folder + "/lcbench/model.onnx";
    if (quality.lcbench.empty() && std::filesystem::exists(file)) quality.lcbench = file;
  }
  quality.peers = DT_SOURCE_DIR "/bench/search_peers.py";
  if (options.peers) quality.python = TRY(prepare_peers(quality.peers));
  return bench::measure_quality(quality);
}

}  // namespace

int main(int count, char** arguments) {
  const Status done = run({arguments + 1, arguments + count});
  if (done.ok()) return 0;
  std::cerr << "bench_search: " << done.text() << "\n";
  return 1;
}
