#include "core/model/schema.h"

#include <algorithm>
#include <cmath>

#include "base/words.h"
#include "core/model/paths.h"

namespace dt::core::schema {
namespace {

constexpr std::size_t max_shown_characters = 60;

std::string shortened(const std::string& text) {
  if (text.size() <= max_shown_characters) return text;
  std::size_t end = max_shown_characters;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;  // never inside a UTF-8 character
  return text.substr(0, end) + "…";
}

std::string scalar_text(const Value& value) {
  if (value.is_bool()) return cat(value.as_bool());
  if (value.is_int()) return cat(value.as_int());
  if (value.is_double()) return cat(value.as_double());
  if (value.is_string()) return shortened(value.as_string());
  return described(value);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void wrong_type(const std::string& expected, const Value& value, const std::string& path,
                Findings& findings) {
  findings.error(path, value, cat("expected ", expected, ", got ", described(value)));
}

// A number without fraction is an integer, however it was written: 1e3.
std::optional<std::int64_t> whole(const Value& value) {
  constexpr double exact_limit = 9007199254740992.0;  // 2^53
  if (value.is_int()) return value.as_int();
  if (!value.is_double()) return std::nullopt;
  const double number = value.as_double();
  if (std::trunc(number) != number || std::fabs(number) > exact_limit) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

Check number(std::function<bool(double)> fits, std::string bound) {
  return [=](const Value& value, const std::string& path, Findings& findings) -> Value {
    if (!value.is_number()) {
      wrong_type("a number", value, path, findings);
    } else if (!std::isfinite(value.as_double()) || !fits(value.as_double())) {
      findings.error(path, value, cat("must be ", bound, ", got ", scalar_text(value)));
    }
    return value;
  };
}

std::vector<std::string> keys_of(const Fields& fields) {
  std::vector<std::string> keys;
  for (const Field& field : fields) keys.push_back(field.key);
  return keys;
}

void report_unknown_key(const std::string& key, const Value& value, const std::string& path,
                        const std::vector<std::string>& known, Findings& findings) {
  const std::string near = nearest(key, known);
  findings.error(
      child_path(path, key), value, cat("unknown key, with value ", described(value)),
      near.empty() ? cat("known keys here: ", joined(known)) : cat("did you mean \"", near, "\"?"));
}

std::optional<Value> resolve_field(const Field& field, const Value& given, const std::string& path,
                                   Findings& findings) {
  const std::string place = child_path(path, field.key);
  if (given.is_null()) {
    if (!field.required.empty()) {
      findings.error(place, Value(), "required but missing", field.required);
    }
    return field.fallback;
  }
  Value resolved = field.check(given, place, findings);
  if (!field.ignored.empty() && resolved != field.fallback.value_or(Value())) {
    findings.warn(place, cat("ignored: ", field.ignored));
  }
  return resolved;
}

Value resolve_fields(const Fields& fields, const Value& value, const std::string& path,
                     Findings& findings) {
  Value resolved(Value::Object{});
  for (const Field& field : fields) {
    const auto member = resolve_field(field, value[field.key], path, findings);
    if (member) resolved.set(field.key, *member);
  }
  return resolved;
}

// Which variants have the key: "of random and grid".
std::string variants_with(const std::string& key, const Union& choice) {
  std::vector<std::string> names;
  for (const auto& [name, fields] : choice.variants) {
    const auto keys = keys_of(fields);
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) names.push_back(name);
  }
  return joined(names);
}

void report_unknown_variant_keys(const Union& choice, const std::string& name, const Value& value,
                                 const std::string& path, Findings& findings) {
  std::vector<std::string> known = keys_of(choice.variants.at(name));
  known.insert(known.begin(), choice.tag);
  for (const auto& [key, member] : value.as_object()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string others = variants_with(key, choice);
    if (others.empty()) {
      report_unknown_key(key, member, path, known, findings);
      continue;
    }
    findings.error(child_path(path, key), member,
                   cat("has no use with ", choice.tag, ": ", name, ", got ", described(member)),
                   cat("it is a key of ", choice.tag, ": ", others));
  }
}

// The tag's value when it names a variant that can be used; else nothing, after the error.
std::optional<std::string> chosen_variant(const Union& choice, const Value& value,
                                          const std::string& path, Findings& findings) {
  const std::string place = child_path(path, choice.tag);
  const Value& tag = value[choice.tag];
  if (tag.is_null() && !choice.fallback.empty()) return choice.fallback;
  if (tag.is_null()) {
    findings.error(place, tag, "required but missing", choice.required);
    return std::nullopt;
  }
  if (!tag.is_string()) {
    wrong_type("a string", tag, place, findings);
    return std::nullopt;
  }
  const std::string& name = tag.as_string();
  if (choice.variants.count(name) > 0) return name;
  std::vector<std::string> known;
  for (const auto& [variant, fields] : choice.variants) known.push_back(variant);
  if (const auto refused = choice.refused.find(name); refused != choice.refused.end()) {
    findings.error(place, tag, cat("\"", name, "\" ", refused->second),
                   cat("use one of: ", joined(known)));
    return std::nullopt;
  }
  const std::string near = nearest(name, known);
  findings.error(
      place, tag, cat("unknown ", choice.tag, " \"", shortened(name), "\""),
      near.empty() ? cat("use one of: ", joined(known)) : cat("did you mean \"", near, "\"?"));
  return std::nullopt;
}

}  // namespace

void Findings::error(const std::string& path, const Value& value, const std::string& message,
                     const std::string& hint) {
  const std::string place = path.empty() ? "configuration" : path;
  Detail detail;
  detail.subject = place;
  detail.value = value.is_null() ? "" : scalar_text(value);
  detail.hint = hint;
  detail.path = path;
  errors.push_back(invalid_argument(place, ": ", message).with_detail(std::move(detail)));
}

void Findings::warn(const std::string& path, const std::string& message) {
  warnings.push_back(cat(path, ": ", message));
}

Check anything() {
  return [](const Value& value, const std::string&, Findings&) { return value; };
}

Check boolean() {
  return [](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_bool()) wrong_type("true or false", value, path, findings);
    return value;
  };
}

Check integer(std::int64_t least, std::int64_t most) {
  return [=](const Value& value, const std::string& path, Findings& findings) -> Value {
    const std::optional<std::int64_t> number = whole(value);
    if (!number) {
      wrong_type("an integer", value, path, findings);
      return value;
    }
    if (*number >= least && *number <= most) return *number;
    const bool open_above = most == std::numeric_limits<std::int64_t>::max();
    const std::string bound =
        open_above ? cat("at least ", least) : cat("between ", least, " and ", most);
    findings.error(path, value, cat("must be ", bound, ", got ", *number));
    return value;
  };
}

Check number_at_least(double least) {
  return number([=](double given) { return given >= least; }, cat("at least ", least));
}

Check number_above(double bound) {
  return number([=](double given) { return given > bound; }, cat("greater than ", bound));
}

Check finite_number() {
  return number([](double) { return true; }, "finite");
}

Check text() {
  return [](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_string()) wrong_type("a string", value, path, findings);
    return value;
  };
}

Check filled_text() {
  return [](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_string()) {
      wrong_type("a string", value, path, findings);
    } else if (value.as_string().find_first_not_of(" \t\r\n") == std::string::npos) {
      findings.error(path, value, "must not be empty");
    }
    return value;
  };
}

Check absolute_path() {
  return [](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_string()) {
      wrong_type("a string", value, path, findings);
    } else if (!is_absolute(value.as_string())) {
      findings.error(path, value, cat("must be an absolute path, got ", described(value)));
    }
    return value;
  };
}

Check list_of(Check item) {
  return [=](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_array()) {
      wrong_type("a list", value, path, findings);
      return value;
    }
    Value::Array resolved;
    for (const Value& element : value.as_array()) {
      resolved.push_back(item(element, item_path(path, resolved.size()), findings));
    }
    return Value(std::move(resolved));
  };
}

Check any_list() { return list_of(anything()); }

Check any_map() {
  return [](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_object()) wrong_type("a map", value, path, findings);
    return value;
  };
}

Check object(Fields fields, Rule rule) {
  return [=](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_object()) {
      wrong_type("a map", value, path, findings);
      return value;
    }
    const std::size_t errors_before = findings.errors.size();
    const std::vector<std::string> known = keys_of(fields);
    for (const auto& [key, member] : value.as_object()) {
      const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
      if (!is_known) report_unknown_key(key, member, path, known, findings);
    }
    Value resolved = resolve_fields(fields, value, path, findings);
    if (rule && findings.errors.size() == errors_before) rule(resolved, path, findings);
    return resolved;
  };
}

Check word(std::vector<std::string> known, std::vector<std::string> later) {
  return [=](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_string()) {
      wrong_type("a string", value, path, findings);
      return value;
    }
    const std::string& given = value.as_string();
    if (std::find(known.begin(), known.end(), given) != known.end()) return value;
    const std::string choices = cat("use one of: ", joined(known));
    if (std::find(later.begin(), later.end(), given) != later.end()) {
      findings.error(path, value, cat("\"", given, "\" is not in this release"), choices);
      return value;
    }
    const std::string near = nearest(given, known);
    findings.error(path, value, cat("unknown value \"", shortened(given), "\""),
                   near.empty() ? choices : cat("did you mean \"", near, "\"?"));
    return value;
  };
}

Check tagged(Union choice, Rule rule) {
  return [=](const Value& value, const std::string& path, Findings& findings) {
    if (!value.is_object()) {
      wrong_type("a map", value, path, findings);
      return value;
    }
    const std::size_t errors_before = findings.errors.size();
    const std::optional<std::string> name = chosen_variant(choice, value, path, findings);
    if (!name) return value;
    report_unknown_variant_keys(choice, *name, value, path, findings);
    Value resolved = resolve_fields(choice.variants.at(*name), value, path, findings);
    resolved.set(choice.tag, *name);
    if (rule && findings.errors.size() == errors_before) rule(resolved, path, findings);
    return resolved;
  };
}

Field map_field(const std::string& key, const Check& check) {
  Findings none;
  Value defaults = check(Value(Value::Object{}), key, none);
  VERIFY(none.errors.empty(), "the defaults of ", key, " are not valid");
  return Field{.key = key, .check = check, .fallback = std::move(defaults)};
}

std::string child_path(const std::string& parent, const std::string& key) {
  return parent.empty() ? key : cat(parent, ".", key);
}

std::string item_path(const std::string& parent, std::size_t index) {
  return cat(parent, "[", index, "]");
}

std::string described(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_string()) return cat("string \"", shortened(value.as_string()), "\"");
  if (value.is_array()) return cat("list of ", counted(value.as_array().size(), "item"));
  if (value.is_object()) return cat("map of ", counted(value.as_object().size(), "key"));
  return cat(value.type_name(), " ", scalar_text(value));
}

}  // namespace dt::core::schema
