// A Value is a JSON or YAML value in memory: what configurations, hyperparameters and metadata are
// made of. Objects are sorted by key, so equal values have equal text and every walk is in the same
// order. Integers stay integers (2^53+1 survives); NaN and infinities are ordinary doubles here,
// their JSON form is the business of formats/json.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace dt {

class Value {
 public:
  using Array = std::vector<Value>;
  using Object = std::map<std::string, Value>;

  Value() = default;
  Value(std::nullptr_t) {}                                // NOLINT: implicit by design, all of these
  Value(bool value) : data_(value) {}                     // NOLINT
  Value(int value) : data_(std::int64_t{value}) {}        // NOLINT
  Value(std::int64_t value) : data_(value) {}             // NOLINT
  Value(double value) : data_(value) {}                   // NOLINT
  Value(const char* value) : data_(std::string(value)) {}  // NOLINT
  Value(std::string value) : data_(std::move(value)) {}   // NOLINT
  Value(Array value) : data_(std::move(value)) {}         // NOLINT
  Value(Object value) : data_(std::move(value)) {}        // NOLINT

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_int() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_double() const { return std::holds_alternative<double>(data_); }
  bool is_number() const { return is_int() || is_double(); }
  bool is_string() const { return std::holds_alternative<std::string>(data_); }
  bool is_array() const { return std::holds_alternative<Array>(data_); }
  bool is_object() const { return std::holds_alternative<Object>(data_); }

  // Each as_…() needs the matching is_…(); as_double() takes integers too.
  bool as_bool() const { return std::get<bool>(data_); }
  std::int64_t as_int() const { return std::get<std::int64_t>(data_); }
  double as_double() const {
    return is_int() ? static_cast<double>(as_int()) : std::get<double>(data_);
  }
  const std::string& as_string() const { return std::get<std::string>(data_); }
  const Array& as_array() const { return std::get<Array>(data_); }
  Array& as_array() { return std::get<Array>(data_); }
  const Object& as_object() const { return std::get<Object>(data_); }
  Object& as_object() { return std::get<Object>(data_); }

  // The member of an object, or null when this is no object or has no such key.
  const Value& operator[](const std::string& key) const;
  const Value* find(const std::string& key) const;
  // Sets a member; a null Value becomes an object first.
  Value& set(const std::string& key, Value value) &;
  Value set(const std::string& key, Value value) && {
    return std::move(set(key, std::move(value)));
  }

  const char* type_name() const;  // "null", "bool", "integer", "number", "string", "list", "map"

  bool operator==(const Value&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> data_;
};

}  // namespace dt
