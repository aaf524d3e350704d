#include "client/client.h"

#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

namespace dt::client {
namespace {

constexpr int message_bytes_max = 256 * 1024 * 1024;  // 20,000 trials, 2 million buckets
constexpr std::chrono::milliseconds first_wait{100};
constexpr std::chrono::milliseconds longest_wait{2'000};

std::shared_ptr<grpc::ChannelCredentials> channel_credentials(const Credentials& credentials) {
  if (credentials.tls_ca.empty()) return grpc::InsecureChannelCredentials();
  std::ifstream file(credentials.tls_ca);
  std::ostringstream pem;
  pem << file.rdbuf();
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = pem.str();
  return grpc::SslCredentials(tls);
}

// Relative, so that setting the wall clock neither ends a call nor lets it wait for an hour.
gpr_timespec left_until(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return gpr_time_from_millis(left.count(), GPR_TIMESPAN);
}

}  // namespace

std::string new_request_id() {
  std::random_device device;
  std::array<unsigned, 4> bits{device(), device(), device(), device()};
  bits[1] = (bits[1] & 0xffff0fffu) | 0x4000u;
  bits[2] = (bits[2] & 0x3fffffffu) | 0x80000000u;
  std::array<char, 37> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%04x%08x", bits[0], bits[1] >> 16,
                bits[1] & 0xffffu, bits[2] >> 16, bits[2] & 0xffffu, bits[3]);
  return text.data();
}

Client::Client(Credentials credentials) : credentials_(std::move(credentials)) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(message_bytes_max);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a client, a connection
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // a proxy of the environment is not for us
  channel_ =
      grpc::CreateCustomChannel(credentials_.address, channel_credentials(credentials_), arguments);
}

void Client::prepare(grpc::ClientContext& context) const {
  if (!credentials_.token.empty())
    context.AddMetadata("authorization", "Bearer " + credentials_.token);
}

Status Client::explain(const grpc::Status& status) const {
  Status explained = from_grpc(status);
  if (explained.code() == Code::unavailable && explained.detail().hint.empty()) {
    return unavailable("the master at ", credentials_.address,
                       " cannot be reached: ", explained.message())
        .with_hint("is it running? dtctl local status");
  }
  return explained;
}

Status Client::repeat(const CallOptions& options,
                      const std::function<grpc::Status(grpc::ClientContext&)>& attempt) const {
  const auto deadline = std::chrono::steady_clock::now() + options.timeout;
  std::chrono::milliseconds wait = first_wait;
  for (;;) {
    grpc::ClientContext context;
    context.set_deadline(left_until(deadline));
    prepare(context);
    const std::stop_callback cancel(options.stop, [&context] { context.TryCancel(); });
    const grpc::Status status = attempt(context);
    const bool again = status.error_code() == grpc::StatusCode::UNAVAILABLE &&
                       options.retry_unavailable && !options.stop.stop_requested() &&
                       std::chrono::steady_clock::now() + wait < deadline;
    if (!again) return explain(status);
    std::this_thread::sleep_for(wait);  // between tries of a call; nothing can be told to us sooner
    wait = std::min(wait * 2, longest_wait);
  }
}

}  // namespace dt::client
