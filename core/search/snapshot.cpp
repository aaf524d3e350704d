#include "core/search/snapshot.h"

namespace dt::core {

namespace {

Status unfit(const std::string& key, const char* wanted, const Value& value) {
  return data_loss("searcher snapshot: '", key, "' must be ", wanted, ", not ", value.type_name());
}

Result<int> int_of(const std::string& key, const Value& value, int low, int high) {
  if (!value.is_int()) return unfit(key, "an integer", value);
  if (value.as_int() < low || value.as_int() > high) {
    return data_loss("searcher snapshot: '", key, "' is ", value.as_int(), ", outside ", low,
                     " to ", high);
  }
  return static_cast<int>(value.as_int());
}

template <class T>
Value list_of(const std::vector<T>& values) {
  return Value::Array(values.begin(), values.end());
}

}  // namespace

Result<int> snapshot_int(const Value& snapshot, const std::string& key, int low, int high) {
  return int_of(key, snapshot[key], low, high);
}

Result<std::string> snapshot_text(const Value& snapshot, const std::string& key) {
  const Value& value = snapshot[key];
  if (!value.is_string()) return unfit(key, "a string", value);
  return value.as_string();
}

Result<std::vector<int>> snapshot_ints(const Value& snapshot, const std::string& key, int low,
                                       int high) {
  const Value& list = snapshot[key];
  if (!list.is_array()) return unfit(key, "a list", list);
  std::vector<int> values;
  values.reserve(list.as_array().size());
  for (const Value& item : list.as_array()) values.push_back(TRY(int_of(key, item, low, high)));
  return values;
}

Result<std::vector<double>> snapshot_numbers(const Value& snapshot, const std::string& key) {
  const Value& list = snapshot[key];
  if (!list.is_array()) return unfit(key, "a list", list);
  std::vector<double> values;
  values.reserve(list.as_array().size());
  for (const Value& item : list.as_array()) {
    if (!item.is_number()) return unfit(key, "a list of numbers", item);
    values.push_back(item.as_double());
  }
  return values;
}

Value snapshot_of(const std::vector<int>& values) { return list_of(values); }
Value snapshot_of(const std::vector<double>& values) { return list_of(values); }

}  // namespace dt::core
