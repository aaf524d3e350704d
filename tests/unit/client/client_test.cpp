#include "client/client.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

#include "dovetail/v1/admin.grpc.pb.h"
#include "dovetail/v1/context.grpc.pb.h"
#include "proto/status_wire.h"

namespace dt::client {
namespace {

namespace v1 = ::dovetail::v1;

class FakeAdmin final : public v1::Admin::Service {
 public:
  grpc::Status GetMaster(grpc::ServerContext* context, const v1::GetMasterRequest*,
                         v1::GetMasterResponse* response) override {
    const auto& metadata = context->client_metadata();
    const auto found = metadata.find("authorization");
    const std::string token =
        found == metadata.end() ? "" : std::string(found->second.data(), found->second.size());
    if (token != "Bearer right") {
      return to_grpc(unauthenticated("the token is not known").with_hint("dtctl login"));
    }
    response->set_cluster_id("c");
    return grpc::Status::OK;
  }

  grpc::Status ForgetAgent(grpc::ServerContext*, const v1::ForgetAgentRequest* request,
                           v1::ForgetAgentResponse*) override {
    const std::lock_guard lock(mutex);
    request_ids.insert(request->request_id());
    if (failures_left-- > 0) return to_grpc(unavailable("the database is away"));
    return grpc::Status::OK;
  }

  std::mutex mutex;
  std::multiset<std::string> request_ids;  // guarded by mutex, as is the next
  int failures_left = 0;
};

class FakeContexts final : public v1::Contexts::Service {
 public:
  grpc::Status UploadContext(grpc::ServerContext*,
                             grpc::ServerReader<v1::UploadContextRequest>* reader,
                             v1::UploadContextResponse* response) override {
    std::int64_t bytes = 0;
    for (v1::UploadContextRequest request; reader->Read(&request);) {
      bytes += static_cast<std::int64_t>(request.data().size());
    }
    response->set_bytes(bytes);
    return grpc::Status::OK;
  }

  grpc::Status FetchContext(grpc::ServerContext*, const v1::FetchContextRequest* request,
                            grpc::ServerWriter<v1::Chunk>* writer) override {
    if (request->hash() == "unknown") return to_grpc(not_found("context unknown is not there"));
    v1::Chunk chunk;
    chunk.set_data("piece");
    const bool endless = request->hash() == "endless";
    for (int i = 0; i < 3 || endless; ++i) {
      if (!writer->Write(chunk)) break;
    }
    return grpc::Status::OK;
  }
};

class ClientCalls : public testing::Test {
 protected:
  ClientCalls() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&admin_);
    builder.RegisterService(&contexts_);
    server_ = builder.BuildAndStart();
  }

  Client client(const std::string& token = "right") {
    return Client({.address = cat("127.0.0.1:", port_), .token = token});
  }

  FakeAdmin admin_;
  FakeContexts contexts_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(ClientCalls, SendsTheTokenWithEveryCall) {
  const auto response = client().call<v1::Admin>(&v1::Admin::Stub::GetMaster, {});
  EXPECT_EQ(response.value().cluster_id(), "c");
}

TEST_F(ClientCalls, ARefusalKeepsItsHint) {
  const auto response = client("wrong").call<v1::Admin>(&v1::Admin::Stub::GetMaster, {});
  EXPECT_EQ(response.status().code(), Code::unauthenticated);
  EXPECT_EQ(response.status().text(), "the token is not known (dtctl login)");
}

TEST_F(ClientCalls, RepeatsACallWithTheSameRequestIdWhileTheMasterIsAway) {
  admin_.failures_left = 2;
  EXPECT_TRUE(client().call<v1::Admin>(&v1::Admin::Stub::ForgetAgent, {}).ok());
  const std::set<std::string> distinct(admin_.request_ids.begin(), admin_.request_ids.end());
  EXPECT_EQ(admin_.request_ids.size(), 3u);
  EXPECT_EQ(distinct.size(), 1u);
  EXPECT_EQ(distinct.begin()->size(), 36u);
}

TEST_F(ClientCalls, AMasterThatIsNotThereIsNamed) {
  const Client gone = client();
  server_->Shutdown();
  const auto response =
      gone.call<v1::Admin>(&v1::Admin::Stub::GetMaster, {}, {.retry_unavailable = false});
  EXPECT_EQ(response.status().code(), Code::unavailable);
  EXPECT_EQ(response.status().message().find(
                cat("the master at 127.0.0.1:", port_, " cannot be reached: ")),
            0u);
  EXPECT_EQ(response.status().detail().hint, "is it running? dtctl local status");
}

TEST_F(ClientCalls, ReadsAStreamToItsEnd) {
  v1::FetchContextRequest request;
  std::string text;
  const Status status = client().read<v1::Contexts>(&v1::Contexts::Stub::FetchContext, request,
                                                    [&](const v1::Chunk& chunk) {
                                                      text += chunk.data();
                                                      return true;
                                                    });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(text, "piecepiecepiece");
}

TEST_F(ClientCalls, LeavesAStreamInTheMiddle) {
  v1::FetchContextRequest request;
  request.set_hash("endless");
  int pieces = 0;
  const Status status = client().read<v1::Contexts>(&v1::Contexts::Stub::FetchContext, request,
                                                    [&](const v1::Chunk&) { return ++pieces < 5; });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(pieces, 5);
}

TEST_F(ClientCalls, AStopEndsAStream) {
  v1::FetchContextRequest request;
  request.set_hash("endless");
  std::stop_source stop;
  const Status status = client().read<v1::Contexts>(
      &v1::Contexts::Stub::FetchContext, request,
      [&](const v1::Chunk&) { return stop.request_stop(), true; }, stop.get_token());
  EXPECT_EQ(status.code(), Code::cancelled);
}

TEST_F(ClientCalls, AFailedStreamTellsWhy) {
  v1::FetchContextRequest request;
  request.set_hash("unknown");
  const Status status = client().read<v1::Contexts>(&v1::Contexts::Stub::FetchContext, request,
                                                    [](const v1::Chunk&) { return true; });
  EXPECT_EQ(status, not_found("context unknown is not there"));
}

TEST_F(ClientCalls, WritesAStream) {
  int left = 3;
  const auto response = client().write<v1::Contexts>(&v1::Contexts::Stub::UploadContext,
                                                     [&](v1::UploadContextRequest& request) {
                                                       request.set_data("1234");
                                                       return left-- > 0;
                                                     });
  EXPECT_EQ(response.value().bytes(), 12);
}

}  // namespace
}  // namespace dt::client
