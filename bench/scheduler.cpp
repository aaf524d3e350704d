// bench_scheduler: how well and how fast the schedulers of core/sched decide. Without --trace it
// times them on made-up pools; with it they replay recorded ones (docs/benchmarks.md).
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sched.h"

namespace {

using namespace dt;

constexpr std::string_view usage = R"(usage: bench_scheduler [--trace openb|philly] [options]
  --data DIR     where openb/ and philly/ are; else $DT_BENCH_DATA, shared/data or ../shared/data
  --trace openb  [--pods FILE --nodes FILE] [--policy NAME] [--seeds FIRST..LAST]
  --trace philly [--jobs FILE] [--slice CLUSTER:SLOTS]… [--settings] [--node-slots N]
)";

std::string data_folder() {
  const char* named = std::getenv("DT_BENCH_DATA");
  if (named != nullptr) return named;
  return std::filesystem::exists("shared/data") ? "shared/data" : "../shared/data";
}

struct Words {  // of the command line, taken one by one
  std::vector<std::string> words;
  std::size_t next = 0;
  bool bad = false;

  std::string value() {
    bad = bad || next >= words.size();
    return bad ? "" : words[next++];
  }
};

void parse_seeds(const std::string& text, bench::OpenbOptions& options, bool& bad) {
  const auto dots = text.find("..");
  if (dots == std::string::npos) {
    bad = true;
    return;
  }
  options.first_seed = std::atoi(text.c_str());
  options.last_seed = std::atoi(text.c_str() + dots + 2);
}

void parse_slice(const std::string& text, bench::PhillyOptions& options, bool& bad) {
  const auto colon = text.find(':');
  const int slots = colon == std::string::npos ? 0 : std::atoi(text.c_str() + colon + 1);
  bad = bad || slots <= 0;
  options.slices.push_back({text.substr(0, colon), slots});
}

}  // namespace

int main(int count, char** arguments) {
  Words words{{arguments + 1, arguments + count}};
  std::string trace, data = data_folder();
  bench::OpenbOptions openb;
  bench::PhillyOptions philly;
  while (words.next < words.words.size()) {
    const std::string word = words.value();
    if (word == "--trace")
      trace = words.value();
    else if (word == "--data")
      data = words.value();
    else if (word == "--pods")
      openb.pods = words.value();
    else if (word == "--nodes")
      openb.nodes = words.value();
    else if (word == "--policy")
      openb.policy = words.value();
    else if (word == "--seeds")
      parse_seeds(words.value(), openb, words.bad);
    else if (word == "--jobs")
      philly.jobs = words.value();
    else if (word == "--slice")
      parse_slice(words.value(), philly, words.bad);
    else if (word == "--node-slots")
      philly.node_slots = std::atoi(words.value().c_str());
    else if (word == "--settings")
      philly.settings = true;
    else
      words.bad = true;
  }
  if (words.bad || (!trace.empty() && trace != "openb" && trace != "philly")) {
    std::cerr << usage;
    return 2;
  }
  if (openb.pods.empty()) openb.pods = data + "/openb/openb_pod_list_default.csv";
  if (openb.nodes.empty()) openb.nodes = data + "/openb/openb_node_list_gpu_node.csv";
  if (philly.jobs.empty()) philly.jobs = data + "/philly/philly.csv";
  Status status;
  if (trace == "openb") status = bench::replay_openb(openb);
  if (trace == "philly") status = bench::replay_philly(philly);
  if (trace.empty()) bench::time_scheduler();
  if (!status.ok()) std::cerr << "bench_scheduler: " << status.text() << "\n";
  return status.ok() ? 0 : 1;
}
