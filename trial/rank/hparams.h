// Hyperparameters by dotted name ("optimizer.lr"), with errors that name the parameter, its value
// and the names there are. Remembers which were asked for, so that a misspelt flag is an error and
// not silence. Not thread-safe.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/value.h"

namespace dt::trial {

class Hparams {
 public:
  explicit Hparams(Value values = Value::Object{}) : values_(std::move(values)) {}

  void set(const std::string& name, Value value);
  // Null when there is none of that name.
  const Value& find(const std::string& name) const;
  const Value& values() const { return values_; }

  // Each needs the parameter; a whole number such as 32.0 is an integer too.
  Result<std::int64_t> integer(const std::string& name) const;
  Result<double> number(const std::string& name) const;
  Result<std::string> text(const std::string& name) const;
  Result<bool> flag(const std::string& name) const;

  // Those of `names` that nobody asked for.
  std::vector<std::string> unread(const std::vector<std::string>& names) const;
  std::string known_names() const;  // "hidden, lr": what was asked for

 private:
  Result<Value> required(const std::string& name) const;

  Value values_;
  mutable std::set<std::string> read_;
};

}  // namespace dt::trial
