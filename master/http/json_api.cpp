#include "master/http/json_api.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <string_view>

#include "formats/json.h"
#include "master/http/answer.h"
#include "master/http/conversation.h"
#include "master/http/routes.h"

namespace dt::master {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;
namespace json = google::protobuf::util;

constexpr std::string_view prefix = "/api/v1/";
constexpr std::size_t message_bytes_max = 32 * 1024 * 1024;   // gRPC's own limit here
constexpr std::size_t stream_bytes_max = 288 * 1024 * 1024;   // the largest context, in base64
constexpr std::size_t nobodys_bytes_max = 64 * 1024;          // without any token
constexpr auto unary_limit = std::chrono::seconds(120);
constexpr const char* json_type = "application/json";
constexpr const char* lines_type = "application/x-ndjson";

std::string path_of(const HttpRequest& request) {
  return request.target.substr(0, request.target.find('?'));
}

// "/api/v1/Trials/GetTrial"; null: there is no such call.
const MethodDescriptor* method_of(const HttpRequest& request) {
  const std::string path = path_of(request);
  if (!path.starts_with(prefix)) return nullptr;
  std::string name = path.substr(prefix.size());
  const std::size_t slash = name.find('/');
  if (slash == name.npos || name.find('.') != name.npos) return nullptr;
  name[slash] = '.';
  return DescriptorPool::generated_pool()->FindMethodByName("dovetail.v1." + name);
}

bool is_json(const std::string& content_type) {
  const std::string type = content_type.substr(0, content_type.find(';'));
  return type.empty() || type == json_type || type == lines_type ||
         type == "application/x-www-form-urlencoded";  // what curl -d says unasked
}

std::unique_ptr<google::protobuf::Message> new_message(const Descriptor* type) {
  return std::unique_ptr<google::protobuf::Message>(
      MessageFactory::generated_factory()->GetPrototype(type)->New());
}

Result<std::string> to_bytes(const Descriptor* type, std::string_view text) {
  const auto message = new_message(type);
  const auto parsed = json::JsonStringToMessage(
      google::protobuf::StringPiece(text.data(), text.size()), message.get());
  if (parsed.ok()) return message->SerializeAsString();
  return invalid_argument("the body is no ", std::string(type->name()), ": ",
                          std::string(parsed.message()))
      .with_hint("docs/http_api.md tells how messages are written as JSON");
}

Result<std::string> to_json_text(const Descriptor* type, const std::string& bytes) {
  const auto message = new_message(type);
  if (!message->ParseFromString(bytes)) return internal("an answer is no ", std::string(type->name()));
  json::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto printed = json::MessageToJsonString(*message, &text, options);
  if (!printed.ok()) return internal("an answer has no JSON form: ", std::string(printed.message()));
  return text + "\n";
}

// One call, from its body to its answer.
class Exchange {
 public:
  Exchange(const MethodDescriptor& method, const HttpRequest& request, HttpReply& reply,
           Conversation& call)
      : method_(method), request_(request), reply_(reply), call_(call) {}

  void run() {
    const Status sent = method_.client_streaming() ? send_lines() : send(request_.body);
    if (!sent.ok()) {
      call_.cancel();
      return reply_.answer(error_answer(sent));
    }
    call_.writes_done();
    method_.server_streaming() ? answer_lines() : answer_one();
  }

 private:
  // That the call ended early is said by its end.
  Status send(std::string_view text) {
    const bool is_blank = text.find_first_not_of(" \t\r\n") == text.npos;
    call_.write(TRY(to_bytes(method_.input_type(), is_blank ? "{}" : text)));
    return {};
  }

  Status send_lines() {
    const std::string_view body = request_.body;
    int line = 0;
    for (std::size_t at = 0; at < body.size(); ++line) {
      const std::size_t end = std::min(body.find('\n', at), body.size());
      const std::string_view text = body.substr(at, end - at);
      at = end + 1;
      if (text.find_first_not_of(" \t\r") == text.npos) continue;
      const Result<std::string> bytes = to_bytes(method_.input_type(), text);
      if (!bytes.ok()) return Status(bytes.status()).with_context(cat("line ", line + 1));
      if (!call_.write(*bytes)) return {};
    }
    return {};
  }

  void answer_one() {
    const std::optional<std::string> bytes = call_.read();
    if (bytes) (void)call_.read();  // its end
    const Status status = call_.finish();
    if (!status.ok()) return reply_.answer(error_answer(status));
    const Result<std::string> text = to_json_text(method_.output_type(), bytes.value_or(""));
    if (!text.ok()) return reply_.answer(error_answer(text.status()));
    reply_.answer({.body = *text});
  }

  // The head waits for the first message, so that a refusal has its own status.
  void answer_lines() {
    std::optional<std::string> bytes = call_.read();
    if (!bytes) {
      const Status status = call_.finish();
      if (!status.ok()) return reply_.answer(error_answer(status));
      reply_.begin(200, lines_type);
      return reply_.end();
    }
    reply_.begin(200, lines_type);
    bool is_wanted = true;
    for (; bytes; bytes = call_.read()) {
      if (!is_wanted) continue;
      is_wanted = reply_.write(line_of(*bytes));
      if (!is_wanted) call_.cancel();
    }
    const Status status = call_.finish();
    if (!status.ok()) reply_.write(to_json(Value().set("error", error_body(status))) + "\n");
    reply_.end();
  }

  std::string line_of(const std::string& bytes) {
    const Result<std::string> text = to_json_text(method_.output_type(), bytes);
    return text.ok() ? *text : to_json(Value().set("error", error_body(text.status()))) + "\n";
  }

  const MethodDescriptor& method_;
  const HttpRequest& request_;
  HttpReply& reply_;
  Conversation& call_;
};

}  // namespace

std::size_t JsonApi::body_max(const HttpRequest& head) const {
  const MethodDescriptor* method = method_of(head);
  if (method == nullptr || head.authorization.empty()) return nobodys_bytes_max;
  return method->client_streaming() ? stream_bytes_max : message_bytes_max;
}

std::optional<HttpAnswer> JsonApi::answer_at_once(const HttpRequest& request) const {
  const std::string path = path_of(request);
  if (!path.starts_with(prefix)) return answer_http(request, loop_);
  const MethodDescriptor* method = method_of(request);
  if (method == nullptr) {
    return error_answer(not_found("there is no call ", path)
                            .with_hint("/api/v1/Service/Method, as /api/v1/Trials/GetTrial"));
  }
  if (request.method != "POST") return wrong_method(request, "POST");
  if (!is_json(request.content_type)) {
    return error_answer(415, invalid_argument(path, " takes application/json, not ",
                                              request.content_type));
  }
  if (method->client_streaming() && method->server_streaming()) {
    return error_answer(unimplemented(path, " is a conversation, which HTTP cannot carry")
                            .with_hint(cat("call it by gRPC at ", grpc_address_)));
  }
  return std::nullopt;
}

void JsonApi::handle(const HttpRequest& request, HttpReply& reply) const {
  const MethodDescriptor* method = method_of(request);
  const bool may_last = method->server_streaming() || method->client_streaming();
  Conversation call(channel_, cat("/", method->service()->full_name(), "/", method->name()),
                    request.authorization,
                    may_last ? std::nullopt : std::optional(unary_limit));
  reply.on_gone([&call] { call.cancel(); });
  Exchange(*method, request, reply, call).run();
  reply.on_gone(nullptr);
}

}  // namespace dt::master
