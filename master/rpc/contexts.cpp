// Contexts: uploaded once by content, checked before they are kept, fetched by agents.
#include "dovetail/v1/context.grpc.pb.h"
#include "master/context_archive.h"
#include "master/rpc/services.h"

namespace dt::master {
namespace {

class ContextsService final : public v1::Contexts::Service {
 public:
  explicit ContextsService(const Services& services) : services_(services) {}

  grpc::Status HasContext(grpc::ServerContext* context, const v1::HasContextRequest* request,
                          v1::HasContextResponse* response) override {
    return handle(*context, services_, Right::person_or_agent, [&](const Caller&) -> Status {
      response->set_present(services_.contexts.has(request->hash()) &&
                            services_.store.context({request->hash()}).ok());
      return {};
    });
  }

  grpc::Status UploadContext(grpc::ServerContext* context,
                             grpc::ServerReader<v1::UploadContextRequest>* reader,
                             v1::UploadContextResponse* response) override {
    return handle(*context, services_, Right::person,
                  [&](const Caller&) { return upload(*reader, *response); });
  }

  grpc::Status FetchContext(grpc::ServerContext* context, const v1::FetchContextRequest* request,
                            grpc::ServerWriter<v1::Chunk>* writer) override {
    return handle(*context, services_, Right::person_or_agent, [&](const Caller&) {
      return services_.contexts.read(request->hash(), [&](std::string piece) {
        v1::Chunk chunk;
        chunk.set_data(std::move(piece));
        return writer->Write(chunk);
      });
    });
  }

 private:
  Status upload(grpc::ServerReader<v1::UploadContextRequest>& reader,
                v1::UploadContextResponse& response) {
    v1::UploadContextRequest message;
    if (!reader.Read(&message)) return invalid_argument("context: nothing was sent");
    const std::string hash = message.hash();
    const auto writer = TRY(services_.contexts.write(hash));
    do {
      TRY(writer->append(message.data()));
      // Packed is smaller than unpacked but for the headers, so this bound refuses nothing that fits.
      if (writer->bytes() > 2 * context_bytes_max) {
        return resource_exhausted("context: more than ", context_bytes_max / (1024 * 1024), " MiB")
            .with_hint("leave data out with .dtignore and name its folder instead");
      }
    } while (reader.Read(&message));
    const ContextContent content = TRY(check_context_archive(writer->part()));
    TRY(writer->keep());
    TRY(services_.store.put_context(
        {.hash = {hash}, .bytes = writer->bytes(), .files = content.files}));
    response.set_hash(hash);
    response.set_bytes(writer->bytes());
    response.set_files(content.files);
    return {};
  }

  const Services services_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_contexts_service(const Services& services) {
  return std::make_unique<ContextsService>(services);
}

}  // namespace dt::master
