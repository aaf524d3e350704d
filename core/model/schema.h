// A small schema for configurations: functions that judge a value at a path and return it with
// defaults filled in. Checks compose (object, list_of, one_of …), report every problem they see
// instead of the first, and phrase all messages alike: path, what was expected, what was there, the
// way out. Pure; a null value of a key means that the key is not set.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/value.h"

namespace dt::core::schema {

struct Findings {
  std::vector<Status> errors;
  std::vector<std::string> warnings;

  // `value` is null where a key is missing.
  void error(const std::string& path, const Value& value, const std::string& message,
             const std::string& hint = "");
  void warn(const std::string& path, const std::string& message);
};

using Check = std::function<Value(const Value& value, const std::string& path, Findings& findings)>;

// One key of a map.
struct Field {
  std::string key;
  Check check;
  std::optional<Value> fallback = std::nullopt;  // of a missing key; nullopt: the key stays out
  std::string required = "";  // not empty: the key must be there; the text is the hint if not
  std::string ignored = "";   // not empty: warn that a value other than the fallback has no effect
};
using Fields = std::vector<Field>;

// A rule over several keys; it sees a map whose every key is valid.
using Rule =
    std::function<void(const Value& resolved, const std::string& path, Findings& findings)>;

Check anything();
Check boolean();
Check integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
              std::int64_t most = std::numeric_limits<std::int64_t>::max());
Check number_at_least(double least);
Check number_above(double bound);
Check finite_number();
Check text();
Check filled_text();    // not empty, not only blanks
Check absolute_path();  // and normalised
Check list_of(Check item);
Check any_list();
Check any_map();
Check object(Fields fields, Rule rule = nullptr);

// One of `known`. `later` are words that DESIGN has but this release has not.
Check word(std::vector<std::string> known, std::vector<std::string> later = {});

// A map whose key `tag` ("type", "name") selects its other keys. `refused` maps a tag to the reason
// why it cannot be used; `fallback` is the tag of a map without one (empty: the tag is required).
struct Union {
  std::string tag;
  std::map<std::string, Fields> variants;
  std::map<std::string, std::string> refused;
  std::string fallback;
  std::string required;  // the hint when the tag is missing
};
Check tagged(Union choice, Rule rule = nullptr);

// A field that is a map and defaults to that map's own defaults.
Field map_field(const std::string& key, const Check& check);

std::string child_path(const std::string& parent, const std::string& key);
std::string item_path(const std::string& parent, std::size_t index);

// `string "many"`, `integer 3`, `list of 2 items`: for messages.
std::string described(const Value& value);

}  // namespace dt::core::schema
