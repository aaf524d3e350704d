// Replays a day of a shared GPU cluster: tasks come in random order until they ask for 130 % of the
// GPUs, none ever ends, and what a policy could place of them is its allocation. The rules are
// those of the published runs (Weng et al., ATC 2023): 130 % by repeating random tasks, nodes in
// random order, 10 seeds.
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "base/cat.h"
#include "base/rng.h"
#include "bench/sched.h"
#include "core/sched/nodes.h"

namespace dt::bench {
namespace {

constexpr double demand = 1.3;

struct Trace {
  std::vector<core::AgentCapacity> nodes;
  std::vector<core::SlotRequest> pods;
  std::int64_t gpu_milli = 0;  // of all nodes
};

std::vector<std::string> split_models(const std::string& text) {
  std::vector<std::string> models;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t bar = std::min(text.find('|', from), text.size());
    models.push_back(text.substr(from, bar - from));
    from = bar + 1;
  }
  return models;
}

Result<Trace> read_trace(const OpenbOptions& options) {
  Trace trace;
  const auto nodes = TRY(read_csv(options.nodes));
  for (const auto& row : nodes) {  // sn,cpu_milli,memory_mib,gpu,model
    if (row.size() < 5) return invalid_argument(options.nodes, ": a line has too few fields");
    core::AgentCapacity node{.id = {row[0]}, .slots = std::atoi(row[3].c_str())};
    node.max_zero_slot = 1 << 20;
    node.model = row[4];
    node.cpu_milli = std::atoi(row[1].c_str());
    node.memory_mib = std::atoi(row[2].c_str());
    trace.gpu_milli += node.slots * core::whole_slot;
    trace.nodes.push_back(std::move(node));
  }
  const auto pods = TRY(read_csv(options.pods));
  for (const auto& row : pods) {  // name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,…
    if (row.size() < 6) return invalid_argument(options.pods, ": a line has too few fields");
    core::SlotRequest pod{.id = row[0], .slots = std::atoi(row[3].c_str())};
    if (pod.slots == 1) pod.slot_milli = std::atoi(row[4].c_str());
    pod.cpu_milli = std::atoi(row[1].c_str());
    pod.memory_mib = std::atoi(row[2].c_str());
    pod.models = split_models(row[5]);
    pod.single_node = true;
    trace.pods.push_back(std::move(pod));
  }
  if (trace.pods.empty()) return invalid_argument(options.pods, " has no pods");
  return trace;
}

std::int64_t asked(const core::SlotRequest& pod) { return pod.slots * pod.slot_milli; }

template <class T>
void shuffle(std::vector<T>& items, Rng& rng) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1],
              items[static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
}

// In order of arrival, and together what is demanded.
std::vector<core::SlotRequest> arrivals_of(const Trace& trace, Rng& rng) {
  const auto wanted = static_cast<std::int64_t>(demand * static_cast<double>(trace.gpu_milli));
  std::vector<core::SlotRequest> pods = trace.pods;
  std::int64_t sum = 0;
  for (const auto& pod : pods) sum += asked(pod);
  shuffle(pods, rng);
  while (sum > wanted) {
    const auto at = rng.between(0, static_cast<std::int64_t>(pods.size()) - 1);
    sum -= asked(pods[static_cast<std::size_t>(at)]);
    pods.erase(pods.begin() + at);
  }
  for (int copies = 0;; ++copies) {
    const auto at = rng.between(0, static_cast<std::int64_t>(trace.pods.size()) - 1);
    core::SlotRequest pod = trace.pods[static_cast<std::size_t>(at)];
    if (sum + asked(pod) > wanted) return pods;
    sum += asked(pod);
    pod.id += cat("-again-", copies);
    pods.push_back(std::move(pod));
  }
}

// Placed GPUs in percent of all, once 129.5 % have been asked for: the mean from there on, as the
// published table has it.
double replay(const Trace& trace, core::FitPolicy policy, int seed, double& taken_ms) {
  Rng rng(static_cast<std::uint64_t>(seed));
  std::vector<core::AgentCapacity> agents = trace.nodes;
  shuffle(agents, rng);
  for (std::size_t i = 0; i < agents.size(); ++i) {
    agents[i].id = {cat(100'000 + i, "-", agents[i].id)};
  }
  const std::vector<core::SlotRequest> pods = arrivals_of(trace, rng);
  core::PoolConfig config{.fit = policy, .seed = static_cast<std::uint64_t>(seed)};
  const auto start = std::chrono::steady_clock::now();
  core::Nodes nodes(agents, config, trace.pods);
  std::int64_t arrived = 0, placed = 0;
  double sum = 0;
  int samples = 0;
  for (const core::SlotRequest& pod : pods) {
    arrived += asked(pod);
    if (!nodes.place(pod).empty()) placed += asked(pod);
    if (static_cast<double>(arrived) < (demand - 0.005) * static_cast<double>(trace.gpu_milli)) {
      continue;
    }
    sum += 100.0 * static_cast<double>(placed) / static_cast<double>(trace.gpu_milli);
    ++samples;
  }
  taken_ms +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return samples == 0 ? 0 : sum / samples;
}

struct Policy {
  const char* name;
  core::FitPolicy fit;
};
constexpr Policy policies[] = {{"random", core::FitPolicy::random},
                               {"best_fit", core::FitPolicy::best},
                               {"worst_fit", core::FitPolicy::worst},
                               {"fgd", core::FitPolicy::fgd},
                               {"default", core::FitPolicy::fragmentation}};

}  // namespace

Status replay_openb(const OpenbOptions& options) {
  const Trace trace = TRY(read_trace(options));
  for (const Policy& policy : policies) {
    if (!options.policy.empty() && options.policy != policy.name) continue;
    double sum = 0, lowest = 100, highest = 0, taken_ms = 0;
    const int seeds = options.last_seed - options.first_seed + 1;
    for (int seed = options.first_seed; seed <= options.last_seed; ++seed) {
      const double allocation = replay(trace, policy.fit, seed, taken_ms);
      sum += allocation;
      lowest = std::min(lowest, allocation);
      highest = std::max(highest, allocation);
    }
    std::cout << R"({"trace":"openb","policy":")" << policy.name << R"(","allocation":)"
              << sum / seeds << R"(,"lowest":)" << lowest << R"(,"highest":)" << highest
              << R"(,"seeds":)" << seeds << R"(,"replay_ms":)" << taken_ms / seeds << "}"
              << std::endl;
  }
  return {};
}

}  // namespace dt::bench
