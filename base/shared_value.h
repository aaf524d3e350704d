// A Value that is copied often and changed as a whole only, as the configuration in a row is: copies
// share it, and equal copies are found so without a look. NaN within equals itself then. Safe to
// copy between threads.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/value.h"

namespace dt {

class SharedValue {
 public:
  SharedValue() = default;
  SharedValue(Value value)  // NOLINT: implicit by design
      : value_(std::make_shared<const Value>(std::move(value))) {}
  SharedValue(Value::Object object) : SharedValue(Value(std::move(object))) {}  // NOLINT

  const Value& get() const {
    static const Value null;
    return value_ ? *value_ : null;
  }
  operator const Value&() const { return get(); }  // NOLINT
  const Value& operator[](const std::string& key) const { return get()[key]; }

  bool operator==(const SharedValue& other) const {
    return value_ == other.value_ || get() == other.get();
  }
  bool operator==(const Value& other) const { return get() == other; }

 private:
  std::shared_ptr<const Value> value_;  // null: the null Value
};

}  // namespace dt
