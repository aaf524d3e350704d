#include "agent/agent.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "agent/clock.h"
#include "agent/detect.h"
#include "agent/files.h"
#include "agent/installation.h"
#include "agent/node_facts.h"
#include "base/version.h"

namespace dt::agent {

using namespace core::relay;  // NOLINT: the brain's events and actions are this file's words

namespace {

constexpr Duration longest_sleep{
    1'000};  // the queue's clock stops in suspend, the brain's does not

constexpr std::chrono::hours contexts_kept{14 * 24};  // without being asked for

Status check_exposure(const AgentOptions& options) {
  if (options.master.empty()) {
    return invalid_argument("no master is given").with_hint("--master HOST:PORT");
  }
  if (is_loopback(options.master) || !options.tls_ca.empty() || options.insecure) return {};
  return failed_precondition("the way to ", options.master,
                             " is not secured: the agent's token would be readable on it")
      .with_hint("give the master's certificate with --tls-ca FILE, or --insecure");
}

Result<std::optional<User>> user_of_ranks(const AgentOptions& options) {
  auto user = choose_user(options.run_as);
  if (user.ok() || !options.run_as.empty()) return user;
  if (!is_loopback(options.master)) return user;
  spdlog::warn("{}; on this machine alone they run as root", user.status().text());
  return std::optional<User>();
}

Result<std::string> read_token(const std::string& path) {
  auto text = read_file(path);
  if (!text.ok()) {
    return Status(text.status())
        .with_context("no token for the master")
        .with_hint("the master leaves one in its data folder: agent.token");
  }
  std::string token = std::move(text).value();
  while (!token.empty() && (token.back() == '\n' || token.back() == ' ')) token.pop_back();
  if (!token.empty()) return token;
  return invalid_argument("no token for the master: ", path, " is empty");
}

int threads_per_slot(const AgentOptions& options, std::size_t slots) {
  const int cores = options.cores > 0 ? options.cores : usable_cores();
  return std::max(1, cores / std::max(1, static_cast<int>(slots)));
}

}  // namespace

Result<std::unique_ptr<Agent>> Agent::open(const AgentOptions& options) {
  TRY(check_exposure(options));
  std::optional<User> user = TRY(user_of_ranks(options));
  GpuChoice choice = options.gpus;
  if (options.slots > 0 && choice.type == SlotType::automatic) choice.type = SlotType::cpu;
  Gpus gpus = TRY(find_gpus(choice));
  std::string token = TRY(read_token(options.token_file));
  DataFolder data = TRY(DataFolder::open(options.data_dir, user));
  core::relay::Options brain = TRY(data.load());
  NodeFacts node{.master = options.master,
                 .cluster_id = {},
                 .agent = brain.agent,
                 .prefix = installation_prefix(),
                 .python_dir = {},
                 .network_interface = interface_of(options.address),
                 .inherited = inherited_environment(),
                 .about = node_facts(host_name())};
  node.python_dir = TRY(reachable_python(node.prefix, data.path(), user));
  if (user) {
    node.user = user->name;
    node.home = data.home();
    const Status reach = check_reach(node.prefix, user);
    if (!reach.ok()) spdlog::warn("find_package(Dovetail) will not work: {}", reach.text());
  }
  client::Client client(
      {.address = options.master, .token = std::move(token), .tls_ca = options.tls_ca});
  return std::unique_ptr<Agent>(new Agent(options, std::move(data), std::move(user),
                                          std::move(client), std::move(brain), std::move(node),
                                          std::move(gpus)));
}

Agent::Agent(const AgentOptions& options, DataFolder data, std::optional<User> user,
             client::Client client, core::relay::Options brain, NodeFacts node, Gpus gpus)
    : options_(options),
      data_(std::move(data)),
      user_(std::move(user)),
      client_(std::move(client)),
      node_(std::move(node)),
      identity_({.agent = brain.agent,
                 .machine_id = machine_id(),
                 .boot_id = boot_id(),
                 .name = options.name.empty() ? host_name() : options.name,
                 .address = options.address,
                 .pool = options.pool,
                 .slots = gpus.all.empty() ? detect_slots(options.slots) : slots_of(gpus.all),
                 .version = version}),
      contexts_(data_.contexts(), user_),
      gpus_(std::move(gpus)),
      brain_(std::move(brain)),
      shims_(std::make_unique<Shims>(
          data_.allocations(),
          Shims::Callbacks{
              .said =
                  [this](const core::AllocationStatus& status, std::int64_t spooled, bool first) {
                    post(ShimSaid{status, spooled, first});
                  },
              .gone = [this](const AllocationId& id) { post(ShimGone{id}); }})),
      senders_(std::make_unique<Workers>(4)),
      transfers_(std::make_unique<Workers>(4)),
      janitor_(std::make_unique<Workers>(2)) {
  node_.threads_per_slot = threads_per_slot(options_, identity_.slots.size());
  for (const Gpu& gpu : gpus_.all) node_.gpus.insert(gpu.uuid);
}

// The link first, then the workers, then the shims' watch: each uses what comes after it.
Agent::~Agent() {
  link_.reset();
  gpu_watch_.reset();
  for (auto& [id, local] : locals_) local.fetching.request_stop();
  janitor_.reset();
  transfers_.reset();
  senders_.reset();
  shims_.reset();
}

// The loop.

Status Agent::run() {
  reattach();
  watch_gpus();
  publish_hello();
  open_link();
  spdlog::info("agent {} with {} {} slots, data in {}", to_text(identity_.agent),
               identity_.slots.size(), gpu_watch_ ? "GPU" : "CPU", data_.path());
  while (!left_) {
    step(next());
    const std::lock_guard lock(mutex_);
    if (!fatal_.ok()) return fatal_;
  }
  return {};
}

void Agent::shut_down() { post(ShutdownOrdered{}); }

void Agent::post(Event event, std::map<AllocationId, v1::AssignmentMessage> assignments) {
  const std::lock_guard lock(mutex_);
  queue_.push_back({std::move(event), std::move(assignments)});
  changed_.notify_one();
}

Agent::Heard Agent::next() {
  std::unique_lock lock(mutex_);
  while (queue_.empty()) {
    const Time now = boot_now();
    if (now >= wake_at_ || !fatal_.ok()) break;
    changed_.wait_for(lock, std::min<Duration>(wake_at_ - now, longest_sleep));
  }
  if (queue_.empty()) return {Woke{}, {}};
  Heard heard = std::move(queue_.front());
  queue_.pop_front();
  return heard;
}

void Agent::step(const Heard& heard) {
  if (std::holds_alternative<Woke>(heard.event)) wake_at_ = never;
  for (const auto& [id, assignment] : heard.assignments) assignments_[id] = assignment;
  const Actions actions = brain_.step(boot_now(), heard.event);
  keep_marks(heard.event);
  publish_hello();
  for (const Action& action : actions) {
    std::visit([this](const auto& one) { perform(one); }, action);
  }
  if (const auto* answered = std::get_if<Answered>(&heard.event)) greet(answered->answer);
  assignments_.clear();  // those that were needed are in their allocations' folders
}

// The first answer of a link is news, and so is one of a master that is not ours.
void Agent::greet(const core::Answer& answer) {
  const core::relay::Options& own = brain_.options();
  if (answer.cluster_id != own.cluster_id || answer.cluster_epoch < own.cluster_epoch) {
    const std::string problem =
        cat("the master at ", options_.master, " is of cluster ", answer.cluster_id, " epoch ",
            answer.cluster_epoch, ", this agent of ", own.cluster_id, " epoch ", own.cluster_epoch,
            ": it is not obeyed. Give the agent a new --dir to join it");
    if (complaints_.is_due(problem)) spdlog::error("{}", problem);
    return;
  }
  if (std::exchange(session_, answer.session) != answer.session) {
    spdlog::info("the master at {} takes this agent", options_.master);
  }
  if (std::exchange(announced_, true)) return;
  std::printf("ready agent=%s\n", identity_.agent.value.c_str());  // scripts wait for it
  std::fflush(stdout);
}

void Agent::publish_hello() {
  core::AgentHello hello = identity_;
  hello.cluster_id = brain_.options().cluster_id;
  hello.cluster_epoch = brain_.options().cluster_epoch;
  hello.batch_seen = brain_.options().batch_seen;
  hello.allocations = brain_.allocations();
  for (const core::SlotFault& fault : brain_.slot_faults()) {
    for (core::Slot& slot : hello.slots) {
      if (slot.id == fault.slot) slot.fault = fault.reason;
    }
  }
  v1::HelloMessage wire = to_wire(hello);
  const std::lock_guard lock(mutex_);
  hello_ = std::move(wire);
}

void Agent::keep_marks(const Event& event) {
  AllocationId id;
  if (const auto* acknowledged = std::get_if<Acknowledged>(&event)) id = acknowledged->allocation;
  if (const auto* named = std::get_if<MarksNamed>(&event)) id = named->allocation;
  if (!id) return;
  const core::Marks* marks = brain_.marks(id);
  if (marks != nullptr) save_marks(data_.allocation(id), *marks);
}

// The start.

void Agent::reattach() {
  for (const AllocationId& id : data_.held()) {
    if (reattach(id)) continue;
    // Its shim never began: the master will ask for it again.
    std::error_code error;
    std::filesystem::remove_all(data_.allocation(id), error);
  }
  std::set<ContextHash> held;
  for (const auto& [id, local] : locals_) {
    if (local.allocation) held.insert(local.allocation->facts.assignment.context);
  }
  contexts_.remove_unused(held, contexts_kept);
}

bool Agent::reattach(const AllocationId& id) {
  const std::string folder = data_.allocation(id);
  const bool lives = is_shim_alive(folder);
  core::AllocationStatus status;
  const bool has_state = read_state(folder, status);
  if (!lives && !has_state && !exists(folder + "/spool")) return false;
  status.allocation = id;
  local(id).stored = load_stored(folder);
  const auto message = load_assignment(folder);
  if (message.ok()) {
    auto allocation = make_allocation(id, folder, data_.contexts(), user_, *message);
    if (allocation.ok()) local(id).allocation = std::move(allocation).value();
  }
  if (!local(id).allocation) spdlog::error("allocation {}: its assignment is lost", to_text(id));
  spdlog::info("allocation {} is found again, {}", to_text(id), core::to_text(status.phase));
  step({Reattached{status, load_marks(folder)}, {}});
  if (lives || status.phase != core::AllocationPhase::ended) shims_->watch(id, Fd());
  return true;
}

// The first look is heard before the link opens: no slot is offered that is known to be broken.
void Agent::watch_gpus() {
  if (gpus_.all.empty()) return;
  const std::string faults = data_.path() + "/slot_faults.json";
  if (options_.clear_slot_faults) {
    std::error_code error;
    std::filesystem::remove(faults, error);
  }
  gpu_watch_ = std::make_unique<GpuWatch>(
      std::move(gpus_),
      GpuWatch::Options{
          .agent = identity_.agent, .path = faults, .boot_id = identity_.boot_id},
      [this](std::vector<core::SlotFault> all) { post(SlotsChecked{std::move(all)}); });
  step(next());
}

void Agent::open_link() {
  link_ = std::make_unique<Link>(
      client_, Link::Callbacks{.hello =
                                   [this] {
                                     const std::lock_guard lock(mutex_);
                                     return hello_;
                                   },
                               .connected = [this] { post(Connected{}); },
                               .disconnected = [this] { post(Disconnected{}); },
                               .heard = [this](const v1::MasterMessage& heard) { hear(heard); },
                               .failed = [this](const Status& problem) { fail(problem); }});
}

void Agent::hear(const v1::MasterMessage& message) {
  if (message.has_answer()) {
    auto heard = answer_from(message.answer());
    if (!heard.ok()) return fail(heard.status());
    complaints_.forget();
    return post(Answered{std::move(heard->answer)}, std::move(heard->assignments));
  }
  if (message.has_refused()) return post(Refused{message.refused().reason()});
  for (const v1::AllocationMarks& marks : message.marks().allocations()) {
    AllocationId id;
    if (core::parse_allocation_id(marks.allocation_id(), id)) {
      post(MarksNamed{id, marks_from(marks.marks())});
    }
  }
}

// An agent that holds nothing and whose token is refused has nothing to wait for.
void Agent::fail(const Status& problem) {
  Status told = problem;
  if (problem.code() == Code::unauthenticated || problem.code() == Code::permission_denied) {
    told = std::move(told)
               .with_context(cat("the master at ", options_.master, " refuses the token of ",
                                 options_.token_file))
               .with_hint("copy agent.token from the master's data folder");
    const std::lock_guard lock(mutex_);
    if (hello_.allocations().empty()) {
      fatal_ = told;
      changed_.notify_one();
      return;
    }
  }
  if (complaints_.is_due(told.text())) spdlog::warn("{}", told.text());
}

Agent::Local& Agent::local(const AllocationId& id) {
  Local& found = locals_[id];
  if (!found.spool) {
    found.spool = std::make_shared<SpoolReader>(data_.allocation(id) + "/spool");
  }
  return found;
}

}  // namespace dt::agent
