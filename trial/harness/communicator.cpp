#include "trial/harness/communicator.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "base/cat.h"
#include "trial/harness/parameters.h"

namespace dt::trial {
namespace {

using c10d::ProcessGroup;
using c10d::ProcessGroupGloo;

constexpr std::chrono::seconds store_timeout{300};
constexpr std::chrono::minutes meeting_timeout{30};
constexpr std::size_t broadcast_bytes = 250u << 20;
constexpr std::int64_t first_bucket_bytes = 1 << 20;
constexpr std::int64_t bucket_bytes = 25 << 20;

struct AddressList {
  addrinfo* first = nullptr;
  AddressList(const std::string& host, int port, int socktype) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = socktype;
    const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first);
    if (failed) {
      throw std::runtime_error(cat("MASTER_ADDR='", host, "': ", ::gai_strerror(failed)));
    }
  }
  ~AddressList() { ::freeaddrinfo(first); }
  AddressList(const AddressList&) = delete;
  AddressList& operator=(const AddressList&) = delete;
};

// This host's address on the way to rank 0's: what peers can reach. (A host's own name often
// resolves to 127.0.1.1, where no other host finds it.)
std::string own_address(const std::string& master, int port) {
  const AddressList addresses(master, port, SOCK_DGRAM);
  const int fd = ::socket(addresses.first->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_storage own{};
  socklen_t bytes = sizeof own;
  const bool found = fd >= 0 &&
                     ::connect(fd, addresses.first->ai_addr, addresses.first->ai_addrlen) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &bytes) == 0;
  if (fd >= 0) ::close(fd);
  char host[NI_MAXHOST] = "";
  if (!found || ::getnameinfo(reinterpret_cast<sockaddr*>(&own), bytes, host, sizeof host, nullptr,
                              0, NI_NUMERICHOST) != 0) {
    throw std::runtime_error(cat("no route to rank 0's node MASTER_ADDR='", master, "'"));
  }
  return host;
}

// A listening socket on the master's address alone, so that the store, which asks nobody for a
// password, is not open to other networks. -1: the address is not one of this host's interfaces.
int listen_on(const std::string& host, int port) {
  const AddressList addresses(host, port, SOCK_STREAM);
  const int fd = ::socket(addresses.first->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // the shim holds the port, bound
  if (::bind(fd, addresses.first->ai_addr, addresses.first->ai_addrlen) != 0) {
    const int reason = errno;
    ::close(fd);
    if (reason == EADDRNOTAVAIL) return -1;
    throw std::runtime_error(cat("rank 0 cannot bind MASTER_ADDR:MASTER_PORT ", host, ":", port,
                                 ": ", std::strerror(reason)));
  }
  ::listen(fd, 1024);
  return fd;
}

c10::intrusive_ptr<c10d::Store> open_store(const RankEnvironment& environment) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(environment.master_port);
  options.isServer = environment.rank == 0;
  options.numWorkers = static_cast<std::size_t>(environment.size);
  options.timeout = store_timeout;
  if (options.isServer) {
    const int fd = listen_on(environment.master_address, environment.master_port);
    if (fd >= 0) options.masterListenFd = fd;
  }
  return c10::make_intrusive<c10d::TCPStore>(environment.master_address, options);
}

void add_devices(const RankEnvironment& environment, ProcessGroupGloo::Options& options) {
  std::istringstream names(environment.interfaces);
  std::string name;
  while (std::getline(names, name, ',')) {
    options.devices.push_back(ProcessGroupGloo::createDeviceForInterface(name));
  }
  if (!options.devices.empty()) return;
  options.devices.push_back(ProcessGroupGloo::createDeviceForHostname(
      own_address(environment.master_address, environment.master_port)));
}

// Sums the bucket and leaves it a sum: the Reducer's own all-reduce would divide by the size.
class SumHook : public c10d::CommHookInterface {
 public:
  explicit SumHook(c10::intrusive_ptr<ProcessGroup> group) : group_(std::move(group)) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    std::vector<at::Tensor> buffers = {bucket.getBufferRef()};
    return group_->allreduce(buffers)->getFuture();
  }

  at::Tensor parseHookResult(const c10::IValue& result) override {
    return result.isTensor() ? result.toTensor() : result.toTensorVector().at(0);
  }

 private:
  c10::intrusive_ptr<ProcessGroup> group_;
};

}  // namespace

struct Communicator::Group {
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<ProcessGroup> group;
};

Communicator::Communicator(const RankEnvironment& environment, std::chrono::seconds timeout)
    : rank_(environment.rank), size_(environment.size) {
  if (size_ == 1) return;
  auto store = c10::make_intrusive<c10d::PrefixStore>(cat("dovetail/", environment.allocation_id),
                                                      open_store(environment));
  auto options = ProcessGroupGloo::Options::create(timeout);
  options->threads = 1;
  add_devices(environment, *options);
  auto gloo = c10::make_intrusive<ProcessGroupGloo>(
      c10::make_intrusive<c10d::PrefixStore>("cpu", store), rank_, size_, options);
  gloo->setSequenceNumberForGroup();
  auto group = c10::make_intrusive<ProcessGroup>(store, rank_, size_);
  group->setBackend(c10::DeviceType::CPU, ProcessGroup::BackendType::GLOO, gloo);
  group->setDefaultBackend(ProcessGroup::BackendType::GLOO);
  group_ = std::make_unique<Group>(Group{store, group});
}

Communicator::~Communicator() = default;

void Communicator::sum(const torch::Tensor& tensor) {
  if (!group_) return;
  std::vector<at::Tensor> tensors = {tensor};
  group_->group->allreduce(tensors)->wait();
}

void Communicator::meet() {
  if (!group_) return;
  c10d::AllreduceOptions options;
  options.timeout = meeting_timeout;
  std::vector<at::Tensor> tensors = {torch::zeros({1})};
  group_->group->allreduce(tensors, options)->wait(meeting_timeout);
}

std::vector<std::string> Communicator::gather_text(const std::string& text) {
  if (!group_) return {text};
  const auto lengths = gather(torch::tensor({static_cast<std::int64_t>(text.size())}));
  std::int64_t longest = 1;
  for (const auto& length : lengths) longest = std::max(longest, length.item<std::int64_t>());
  const auto letters = torch::zeros({longest}, torch::kByte);
  std::copy(text.begin(), text.end(), static_cast<char*>(letters.data_ptr()));
  std::vector<std::string> texts;
  for (const auto& padded : gather(letters)) {
    const auto bytes = static_cast<std::size_t>(lengths[texts.size()].item<std::int64_t>());
    texts.emplace_back(static_cast<const char*>(padded.const_data_ptr()), bytes);
  }
  return texts;
}

std::vector<std::string> Communicator::unite(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += name + "\n";
  std::set<std::string> all;
  for (const auto& lines : gather_text(text)) {
    std::istringstream in(lines);
    std::string name;
    while (std::getline(in, name)) all.insert(name);
  }
  return {all.begin(), all.end()};
}

std::vector<torch::Tensor> Communicator::gather(const torch::Tensor& tensor) {
  if (!group_) return {tensor};
  std::vector<at::Tensor> input = {tensor};
  std::vector<std::vector<at::Tensor>> output(1);
  for (int i = 0; i < size_; ++i) output[0].push_back(torch::empty_like(tensor));
  group_->group->allgather(output, input)->wait();
  return output[0];
}

struct GradientSum::Parts {
  c10::intrusive_ptr<ProcessGroup> group;
  std::vector<at::Tensor> buffers;
  std::shared_ptr<c10d::Reducer> reducer;
  bool may_leave_unused = false;
};

GradientSum::GradientSum(torch::nn::Module& model, Communicator& communicator,
                         bool may_leave_unused) {
  if (!communicator.group()) return;
  parts_ = std::make_unique<Parts>();
  parts_->group = communicator.group()->group;
  parts_->may_leave_unused = may_leave_unused;

  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> initial;
  std::unordered_map<std::size_t, std::string> names;
  for (const auto& [name, parameter] : unique_parameters(model)) {
    initial.push_back(parameter.detach());
    if (!parameter.requires_grad()) continue;
    names[parameters.size()] = name;
    parameters.push_back(parameter);
  }
  for (const auto& buffer : model.buffers()) {
    parts_->buffers.push_back(buffer.detach());
    initial.push_back(buffer.detach());
  }
  c10d::verify_params_across_processes(parts_->group, parameters, std::nullopt);
  c10d::broadcast_coalesced(parts_->group, initial, broadcast_bytes, 0);

  // As Python's DistributedDataParallel: without unused parameters the real order of gradients is
  // learned in the first backward pass, and the buckets are rebuilt after it.
  std::vector<std::size_t> limits = {std::numeric_limits<std::size_t>::max()};
  if (may_leave_unused) limits = {first_bucket_bytes, bucket_bytes};
  const std::vector<bool> sparse(parameters.size(), false);
  auto [buckets, sizes] =
      c10d::compute_bucket_assignment_by_size(parameters, limits, sparse, {}, std::nullopt);
  std::reverse(buckets.begin(), buckets.end());
  parts_->reducer = std::make_shared<c10d::Reducer>(
      parameters, buckets, parts_->group, sparse, bucket_bytes, may_leave_unused,
      /*gradient_as_bucket_view=*/false, names, first_bucket_bytes,
      /*skip_all_reduce_unused_params=*/false, /*use_python_reducer=*/false,
      std::vector<std::int64_t>{});
  parts_->reducer->register_comm_hook(std::make_unique<SumHook>(parts_->group));
}

GradientSum::~GradientSum() = default;

void GradientSum::before_forward(bool sync) {
  if (!parts_) return;
  if (sync) parts_->reducer->prepare_for_forward();
  parts_->reducer->rebuild_buckets();
  if (sync && !parts_->buffers.empty()) {
    c10d::broadcast_coalesced(parts_->group, parts_->buffers, broadcast_bytes, 0);
  }
}

void GradientSum::before_backward(const torch::Tensor& loss) {
  if (!parts_) return;
  std::vector<at::Tensor> outputs;
  if (parts_->may_leave_unused) outputs = {loss};
  parts_->reducer->prepare_for_backward(outputs);
}

}  // namespace dt::trial
