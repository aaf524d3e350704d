#include "base/value.h"

namespace dt {

const Value* Value::find(const std::string& key) const {
  if (!is_object()) return nullptr;
  const auto it = as_object().find(key);
  return it == as_object().end() ? nullptr : &it->second;
}

const Value& Value::operator[](const std::string& key) const {
  static const Value null;
  const Value* found = find(key);
  return found ? *found : null;
}

Value& Value::set(const std::string& key, Value value) & {
  if (is_null()) data_ = Object{};
  as_object().insert_or_assign(key, std::move(value));
  return *this;
}

const char* Value::type_name() const {
  static constexpr const char* names[] = {"null", "bool", "integer", "number", "string", "list", "map"};
  return names[data_.index()];
}

}  // namespace dt
