#include "shim/rank_message.h"

#include <cmath>
#include <optional>

#include "base/number.h"
#include "formats/json.h"

namespace dt::shim {
namespace {

using core::RecordKind;

constexpr std::size_t software_bytes_max = 64 * 1024;

// 3 and 3.0 are integers, 1.5 is none.
std::optional<std::int64_t> integer_of(const Value& value) {
  if (value.is_int()) return value.as_int();
  if (!value.is_double()) return std::nullopt;
  const double number = value.as_double();
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::trunc(number) != number || std::fabs(number) > exact) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string shown(const Value& value) {
  std::string text = to_json(value);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

Status wrong(const std::string& name, const char* wanted, const Value& value) {
  if (value.is_null()) return invalid_argument(name, " is missing (", wanted, ")");
  return invalid_argument(name, " must be ", wanted, ", got ", shown(value));
}

Result<std::int64_t> integer(const Value& message, const std::string& name) {
  const auto number = integer_of(message[name]);
  if (!number) return wrong(name, "an integer", message[name]);
  return *number;
}

Result<std::string> text(const Value& message, const std::string& name) {
  const Value& value = message[name];
  if (!value.is_string() || value.as_string().empty()) return wrong(name, "a text", value);
  return value.as_string();
}

// Copies an optional number into the body.
Status take_number(const Value& message, const std::string& name, Value& body) {
  const Value& value = message[name];
  if (value.is_null()) return {};
  if (!number_of(value)) return wrong(name, "a number", value);
  body.set(name, value);
  return {};
}

Status check_metric(const std::string& name, const Value& value) {
  if (number_of(value)) return {};
  if (value.is_object() && value["type"].is_string()) return {};
  const Status problem =
      wrong(cat("metric '", name, "'"), "a number or an object with a type", value);
  const char* hint = value.is_bool()     ? "report 0 or 1, or {\"type\": \"bool\"}"
                     : value.is_string() ? "report text as {\"type\": \"text\"}; the only texts "
                                           "that are numbers are NaN, Infinity and -Infinity"
                                         : "";
  return Status(problem).with_hint(hint);
}

Result<Value> metrics_body(const Value& message) {
  Value body = Value::Object{};
  body.set("group", TRY(text(message, "group")));
  body.set("step", TRY(integer(message, "step")));
  const Value& values = message["values"];
  if (!values.is_object()) return wrong("values", "a map of metrics", values);
  for (const auto& [name, value] : values.as_object()) TRY(check_metric(name, value));
  body.set("values", values);
  TRY(take_number(message, "epoch", body));
  TRY(take_number(message, "time", body));
  return body;
}

Result<Value> file_body(const Value& file) {
  Value body = Value::Object{};
  const std::string path = TRY(text(file, "path"));
  if (!is_inner_path(path)) {
    return invalid_argument("path '", path, "' must be relative to the checkpoint's folder");
  }
  const std::int64_t bytes = TRY(integer(file, "bytes"));
  if (bytes < 0) return wrong("bytes", "0 or more", file["bytes"]);
  body.set("path", path);
  body.set("bytes", bytes);
  body.set("sha256", TRY(text(file, "sha256")));
  return body;
}

Result<Value> checkpoint_body(const Value& message) {
  Value body = Value::Object{};
  const std::string id = TRY(text(message, "id"));
  if (!is_plain_name(id)) return wrong("id", "a plain name", message["id"]);
  const std::int64_t part = TRY(integer(message, "part"));
  const std::int64_t parts = TRY(integer(message, "parts"));
  if (part < 0 || part >= parts) {
    return invalid_argument("part must be from 0 to parts - 1, got ", part, " of ", parts);
  }
  const Value& files = message["files"];
  if (!files.is_array()) return wrong("files", "a list", files);
  Value::Array checked;
  for (const Value& file : files.as_array()) checked.push_back(TRY(file_body(file)));
  const Value& metadata = message["metadata"];
  if (!metadata.is_null() && !metadata.is_object()) return wrong("metadata", "a map", metadata);
  body.set("id", id);
  body.set("step", TRY(integer(message, "step")));
  body.set("part", part);
  body.set("parts", parts);
  body.set("files", std::move(checked));
  body.set("metadata", metadata.is_null() ? Value(Value::Object{}) : metadata);
  return body;
}

Result<Value> artifact_body(const Value& message) {
  Value body = Value::Object{};
  body.set("path", TRY(text(message, "path")));
  body.set("name", TRY(text(message, "name")));
  return body;
}

Result<Value> progress_body(const Value& message) {
  const Value& fraction = message["fraction"];
  const bool fits = fraction.is_number() && fraction.as_double() >= 0 && fraction.as_double() <= 1;
  if (!fits) return wrong("fraction", "a number from 0 to 1", fraction);
  return Value(Value::Object{{"fraction", fraction.as_double()}});
}

Result<Value> exit_body(const Value& message) {
  Value body = Value::Object{};
  body.set("reason", TRY(text(message, "reason")));
  return body;
}

Result<Hello> hello_of(const Value& message) {
  Hello hello{.body = Value::Object{}};
  hello.protocol = TRY(integer(message, "protocol"));
  hello.rank = static_cast<int>(TRY(integer(message, "rank")));
  hello.token = TRY(text(message, "token"));
  if (!message["start_step"].is_null()) {
    hello.body.set("start_step", TRY(integer(message, "start_step")));
  }
  // For people only, so what is odd is left out instead of keeping a rank from its work.
  const Value& software = message["software"];
  if (software.is_object() && to_json(software).size() <= software_bytes_max) {
    hello.body.set("software", software);
  }
  return hello;
}

struct Type {
  const char* name;
  RecordKind kind;
  Result<Value> (*body)(const Value& message);
};
constexpr Type types[] = {
    {"metrics", RecordKind::metrics, metrics_body},
    {"checkpoint", RecordKind::checkpoint, checkpoint_body},
    {"artifact", RecordKind::artifact, artifact_body},
    {"progress", RecordKind::progress, progress_body},
    {"exit", RecordKind::early_exit, exit_body},
};

RankLine message_of(const Type& type, const Value& message) {
  const std::int64_t seq = integer_of(message["seq"]).value_or(0);
  if (seq < 1) {
    return Refusal{"invalid_message",
                   cat(type.name, ": ", wrong("seq", "1 or more", message["seq"]).text())};
  }
  auto body = type.body(message);
  if (!body.ok()) {
    return Refusal{"invalid_message", cat(type.name, ": ", body.status().text()), seq};
  }
  return Message{seq, type.kind, std::move(body).value()};
}

}  // namespace

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos;
}

bool is_inner_path(const std::string& path) {
  std::size_t begin = 0;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (!is_plain_name(path.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

RankLine parse_rank_line(std::string_view line) {
  const auto message = parse_json(line);
  if (!message.ok()) return Refusal{"invalid_json", message.status().text()};
  const Value& name = (*message)["type"];
  if (!name.is_string()) {
    return Refusal{"invalid_message", wrong("type", "a text", name).text()};
  }
  if (name.as_string() == "hello") {
    auto hello = hello_of(*message);
    if (hello.ok()) return std::move(hello).value();
    return Refusal{"invalid_message", cat("hello: ", hello.status().text())};
  }
  for (const Type& type : types) {
    if (name.as_string() == type.name) return message_of(type, *message);
  }
  return Refusal{"unknown_type", cat("type '", name.as_string(), "' is unknown"),
                 integer_of((*message)["seq"]).value_or(0)};
}

}  // namespace dt::shim
