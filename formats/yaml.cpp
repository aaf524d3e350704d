#include "formats/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <optional>
#include <sstream>
#include <vector>

#include "formats/utf8.h"
#include "formats/yaml_scalar.h"

namespace dt {
namespace {

constexpr std::size_t max_depth = 64;

Status at_line(int line, const std::string& message) {
  Detail detail;
  detail.line = line;
  return invalid_argument("YAML line ", line, ": ", message).with_detail(std::move(detail));
}

// How a refusal leaves yaml-cpp's event calls; parse_yaml() turns it into a Status.
struct Refused {
  Status status;
};

[[noreturn]] void refuse(int line, const std::string& message) {
  throw Refused{at_line(line, message)};
}

std::size_t count_nodes(const Value& value) {
  std::size_t nodes = 1;
  if (value.is_array()) {
    for (const Value& item : value.as_array()) nodes += count_nodes(item);
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.as_object()) nodes += count_nodes(member);
  }
  return nodes;
}

Value tagged_scalar(int line, const std::string& tag, const std::string& text) {
  static const std::string core = "tag:yaml.org,2002:";
  if (tag == "!" || tag == core + "str") return Value(text);  // "!" is what quotes give
  const bool known = tag == "?" || tag == core + "int" || tag == core + "float" ||
                     tag == core + "bool" || tag == core + "null";
  if (!known) refuse(line, cat("tag ", tag, " is not supported"));
  const Result<Value> value = plain_scalar(text);
  if (!value.ok()) refuse(line, value.status().message());
  const bool fits = tag == "?" || (tag == core + "int" && value->is_int()) ||
                    (tag == core + "float" && value->is_number()) ||
                    (tag == core + "bool" && value->is_bool()) ||
                    (tag == core + "null" && value->is_null());
  if (!fits) refuse(line, cat("\"", text, "\" is no ", tag.substr(core.size())));
  if (tag == core + "float") return Value(value->as_double());
  return *value;
}

// Builds a YamlDocument from yaml-cpp's events.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(std::size_t max_values) : max_values_(max_values) {}

  YamlDocument document;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (expects_key()) refuse(mark.line + 1, "a key is missing before \":\"");
    add(mark.line + 1, Value(), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const int line = mark.line + 1;
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(line, "an alias lies inside its own anchor");
    if (expects_key()) refuse(line, "an alias cannot be a key");
    count(line, count_nodes(found->second));
    add(line, found->second, YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const int line = mark.line + 1;
    if (!expects_key()) return add(line, tagged_scalar(line, tag, text), anchor);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = Value(text);
    begin_member(line, text, tag == "?" && text == "<<");
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark.line + 1, tag, "tag:yaml.org,2002:seq", Value(Value::Array()), anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark.line + 1, tag, "tag:yaml.org,2002:map", Value(Value::Object()), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value container;
    std::string path;
    int line = 0;
    YAML::anchor_t anchor = YAML::NullAnchor;
    std::optional<std::string> key = std::nullopt;  // of the member whose value comes next
    bool merge = false;                             // … and that key is "<<"
    std::vector<Value> merged = {};                 // maps named by "<<", first one wins
  };

  bool expects_key() const {
    return !open_.empty() && open_.back().container.is_object() && !open_.back().key;
  }

  std::string child_path() const {
    if (open_.empty()) return "";
    const Open& parent = open_.back();
    if (parent.container.is_array()) {
      return cat(parent.path, "[", parent.container.as_array().size(), "]");
    }
    return parent.path.empty() ? *parent.key : cat(parent.path, ".", *parent.key);
  }

  void count(int line, std::size_t nodes) {
    nodes_ += nodes;
    if (nodes_ > max_values_) refuse(line, cat("more than ", max_values_, " values"));
  }

  void begin_member(int line, const std::string& key, bool merge) {
    Open& map = open_.back();
    if (map.container.find(key)) refuse(line, cat("duplicate key \"", key, "\""));
    map.key = key;
    map.merge = merge;
    if (!merge) document.lines[child_path()] = line;
  }

  void open(int line, const std::string& tag, const std::string& own_tag, Value container,
            YAML::anchor_t anchor) {
    if (tag != "?" && tag != "!" && tag != own_tag) {
      refuse(line, cat("tag ", tag, " is not supported"));
    }
    if (expects_key()) refuse(line, "a key must be a scalar, not a map or a list");
    if (open_.size() == max_depth) refuse(line, cat("nested deeper than ", max_depth, " levels"));
    open_.push_back({std::move(container), child_path(), line, anchor});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    for (const Value& map : done.merged) {  // emplace keeps what is there: own keys win
      for (const auto& [key, member] : map.as_object()) {
        done.container.as_object().emplace(key, member);
      }
    }
    add(done.line, std::move(done.container), done.anchor);
  }

  void add(int line, Value value, YAML::anchor_t anchor) {
    count(line, 1);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = value;
    if (open_.empty()) {
      document.value = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.container.is_array()) {
      document.lines.emplace(child_path(), line);
      parent.container.as_array().push_back(std::move(value));
      return;
    }
    if (parent.merge) {
      merge_into(parent, line, std::move(value));
    } else {
      parent.container.set(*parent.key, std::move(value));
    }
    parent.key.reset();
    parent.merge = false;
  }

  static void merge_into(Open& parent, int line, Value value) {
    Value::Array maps = value.is_array() ? value.as_array() : Value::Array{std::move(value)};
    for (Value& map : maps) {
      if (!map.is_object()) refuse(line, "\"<<\" needs a map or a list of maps");
      parent.merged.push_back(std::move(map));
    }
  }

  std::vector<Open> open_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::size_t max_values_;
  std::size_t nodes_ = 0;
};

// yaml-cpp ends its input at byte 4 and passes other control characters through; YAML forbids them.
std::optional<Status> refused_text(std::string_view text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    return invalid_argument("YAML of ", text.size(), " bytes is over the limit of ", max_bytes);
  }
  if (!is_valid_utf8(text)) return invalid_argument("YAML is not valid UTF-8");
  int line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (control && c != '\n' && c != '\r' && c != '\t') {
      return at_line(line, cat("control character ", int{c}));
    }
  }
  return std::nullopt;
}

Result<YamlDocument> parse_with(std::size_t max_values, std::string_view text) {
  Builder builder(max_values);
  std::istringstream input{std::string(text)};
  YAML::Parser parser(input);
  parser.HandleNextDocument(builder);
  Builder second(max_values);
  if (parser.HandleNextDocument(second)) {
    return invalid_argument("YAML has several documents, expected one");
  }
  return std::move(builder.document);
}

}  // namespace

int YamlDocument::line_of(const std::string& path) const {
  std::string place = path;
  while (!place.empty()) {
    if (const auto found = lines.find(place); found != lines.end()) return found->second;
    const std::size_t cut = place.find_last_of(".[");
    place.erase(cut == place.npos ? 0 : cut);
  }
  return 0;
}

Result<YamlDocument> parse_yaml(std::string_view text, YamlLimits limits) {
  if (const auto refused = refused_text(text, limits.max_bytes)) return *refused;
  try {
    return parse_with(limits.max_values, text);
  } catch (const Refused& refused) {
    return refused.status;
  } catch (const YAML::Exception& problem) {
    return at_line(problem.mark.line + 1, problem.msg);
  }
}

}  // namespace dt
