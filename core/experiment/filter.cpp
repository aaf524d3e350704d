#include "core/experiment/filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <compare>

namespace dt::core {
namespace {

using Operator = FilterOperator;

constexpr std::array<std::string_view, 10> operator_texts = {
    "=", "!=", "<", "<=", ">", ">=", "contains", "notContains", "isEmpty", "notEmpty"};

std::string folded(const std::string& text) {
  std::string lower = text;
  for (char& letter : lower) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return lower;
}

// As people write it; nothing of a list or a map.
std::optional<std::string> text_of(const Value& value) {
  if (value.is_string()) return folded(value.as_string());
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (value.is_int()) return cat(value.as_int());
  if (value.is_double()) return cat(value.as_double());
  return std::nullopt;
}

const Value* find_column(const Value& values, const std::string& path) {
  if (const Value* exact = values.find(path)) return exact;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    const Value* member = values.find(path.substr(0, dot));
    const Value* found = member ? find_column(*member, path.substr(dot + 1)) : nullptr;
    if (found) return found;
  }
  return nullptr;
}

bool is_empty(const Value& value) {
  return value.is_null() || (value.is_string() && value.as_string().empty()) ||
         (value.is_array() && value.as_array().empty()) ||
         (value.is_object() && value.as_object().empty());
}

std::partial_ordering compare(const Value& value, const Value& wanted) {
  if (value.is_number() && wanted.is_number()) return value.as_double() <=> wanted.as_double();
  const std::optional<std::string> left = text_of(value), right = text_of(wanted);
  if (!left || !right) return std::partial_ordering::unordered;
  if (value.is_string() && wanted.is_string()) return *left <=> *right;
  return *left == *right ? std::partial_ordering::equivalent : std::partial_ordering::unordered;
}

bool contains(const Value& value, const Value& wanted) {
  const std::optional<std::string> whole = text_of(value), part = text_of(wanted);
  return whole && part && whole->find(*part) != std::string::npos;
}

template <class Meets>
bool one_meets(const Value& value, const Value& wanted, Meets meets) {
  if (!value.is_array()) return meets(value, wanted);
  const Value::Array& elements = value.as_array();
  return std::any_of(elements.begin(), elements.end(),
                     [&](const Value& element) { return meets(element, wanted); });
}

bool is_equal(const Value& value, const Value& wanted) { return is_eq(compare(value, wanted)); }

bool meets(const Value& value, Operator condition, const Value& wanted) {
  const auto one = [&](auto meets_it) { return one_meets(value, wanted, meets_it); };
  switch (condition) {
    case Operator::equal: return one(is_equal);
    case Operator::not_equal: return !one(is_equal);
    case Operator::less:
      return one([](const Value& a, const Value& b) { return is_lt(compare(a, b)); });
    case Operator::at_most:
      return one([](const Value& a, const Value& b) { return is_lteq(compare(a, b)); });
    case Operator::greater:
      return one([](const Value& a, const Value& b) { return is_gt(compare(a, b)); });
    case Operator::at_least:
      return one([](const Value& a, const Value& b) { return is_gteq(compare(a, b)); });
    case Operator::contains: return one(contains);
    case Operator::not_contains: return !one(contains);
    case Operator::is_empty: return is_empty(value);
    case Operator::not_empty: return !is_empty(value);
  }
  VERIFY(false, "operator ", static_cast<int>(condition));
  return false;
}

Status wrong(const std::string& path, const std::string& problem) {
  return invalid_argument("filter: ", path, " ", problem)
      .with_detail({.subject = "filter", .path = path});
}

Result<std::string> member_text(const Value& json, const char* key, const std::string& path) {
  if (json[key].is_string()) return json[key].as_string();
  return wrong(cat(path, ".", key), "must be a text");
}

Result<Filter> field_of(const Value& json, const std::string& path) {
  Filter field{
      .kind = Filter::Kind::condition, .members = {}, .column = {}, .value = json["value"]};
  field.column = TRY(member_text(json, "columnName", path));
  const std::string word = TRY(member_text(json, "operator", path));
  const auto condition = filter_operator(word);
  if (!condition) return wrong(path + ".operator", cat("\"", word, "\" is no operator"));
  field.condition = *condition;
  return field;
}

Result<Filter> node_of(const Value& json, const std::string& path, int depth) {
  if (depth > filter_depth_max) return wrong(path, "lies too deep");
  const std::string kind = TRY(member_text(json, "kind", path));
  if (kind == "field") return field_of(json, path);
  if (kind != "group") return wrong(path + ".kind", "must be \"group\" or \"field\"");
  const std::string conjunction = TRY(member_text(json, "conjunction", path));
  if (conjunction != "and" && conjunction != "or") {
    return wrong(path + ".conjunction", "must be \"and\" or \"or\"");
  }
  if (!json["children"].is_array()) return wrong(path + ".children", "must be a list");
  Filter group{.kind = conjunction == "and" ? Filter::Kind::all : Filter::Kind::any,
               .members = {},
               .column = {},
               .value = {}};
  for (const Value& child : json["children"].as_array()) {
    const std::string place = cat(path, ".children[", group.members.size(), "]");
    group.members.push_back(TRY(node_of(child, place, depth + 1)));
  }
  return group;
}

}  // namespace

std::optional<FilterOperator> filter_operator(std::string_view text) {
  const auto found = std::find(operator_texts.begin(), operator_texts.end(), text);
  if (found == operator_texts.end()) return std::nullopt;
  return static_cast<FilterOperator>(found - operator_texts.begin());
}

Result<Filter> filter_of(const Value& json) {
  const Value* inside = json.find("filterGroup");
  return inside ? node_of(*inside, "filterGroup", 0) : node_of(json, "$", 0);
}

bool matches(const Filter& filter, const Value& values) {
  const auto holds = [&](const Filter& member) { return matches(member, values); };
  const std::vector<Filter>& members = filter.members;
  switch (filter.kind) {
    case Filter::Kind::all: return std::all_of(members.begin(), members.end(), holds);
    case Filter::Kind::any: return std::any_of(members.begin(), members.end(), holds);
    case Filter::Kind::condition: break;
  }
  const Value* value = find_column(values, filter.column);
  return meets(value ? *value : Value(), filter.condition, filter.value);
}

}  // namespace dt::core
