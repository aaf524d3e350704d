#include "trial/rank/hparams.h"

#include <cmath>

#include "base/number.h"
#include "formats/json.h"

namespace dt::trial {
namespace {

void set_path(Value& map, const std::string& name, Value value) {
  const auto dot = name.find('.');
  if (dot == std::string::npos) {
    map.set(name, std::move(value));
    return;
  }
  const std::string head = name.substr(0, dot);
  const Value* found = map.find(head);
  Value inner = found && found->is_object() ? *found : Value(Value::Object{});
  set_path(inner, name.substr(dot + 1), std::move(value));
  map.set(head, std::move(inner));
}

void list_names(const Value& value, const std::string& prefix, std::string& out) {
  for (const auto& [key, inner] : value.as_object()) {
    if (inner.is_object()) {
      list_names(inner, prefix + key + ".", out);
    } else {
      out += (out.empty() ? "" : ", ") + prefix + key;
    }
  }
}

Status wrong_type(const std::string& name, const Value& value, const char* wanted) {
  return invalid_argument("hyperparameter '", name, "' is ", to_json(value), ", a ",
                          value.type_name(), ", but the trial needs ", wanted);
}

}  // namespace

void Hparams::set(const std::string& name, Value value) {
  set_path(values_, name, std::move(value));
}

const Value& Hparams::find(const std::string& name) const {
  read_.insert(name);
  const Value* at = &values_;
  std::size_t begin = 0;
  while (true) {
    const auto dot = name.find('.', begin);
    at = &(*at)[name.substr(begin, dot - begin)];
    if (dot == std::string::npos) return *at;
    begin = dot + 1;
  }
}

Result<Value> Hparams::required(const std::string& name) const {
  const Value& value = find(name);
  if (!value.is_null()) return value;
  std::string names;
  list_names(values_, "", names);
  return not_found("the trial needs hyperparameter '", name,
                   "'; given are: ", names.empty() ? "none" : names)
      .with_hint(
          cat("add it to `hyperparameters:` of the configuration, or pass --", name, " VALUE"));
}

Result<std::int64_t> Hparams::integer(const std::string& name) const {
  const Value value = TRY(required(name));
  if (value.is_int()) return value.as_int();
  if (value.is_double() && std::nearbyint(value.as_double()) == value.as_double() &&
      std::abs(value.as_double()) < 9e15) {
    return static_cast<std::int64_t>(value.as_double());
  }
  return wrong_type(name, value, "an integer");
}

Result<double> Hparams::number(const std::string& name) const {
  const Value value = TRY(required(name));
  if (const auto number = number_of(value)) return *number;
  return wrong_type(name, value, "a number");
}

Result<std::string> Hparams::text(const std::string& name) const {
  const Value value = TRY(required(name));
  if (value.is_string()) return value.as_string();
  return wrong_type(name, value, "text");
}

Result<bool> Hparams::flag(const std::string& name) const {
  const Value value = TRY(required(name));
  if (value.is_bool()) return value.as_bool();
  return wrong_type(name, value, "true or false");
}

std::vector<std::string> Hparams::unread(const std::vector<std::string>& names) const {
  std::vector<std::string> out;
  for (const auto& name : names) {
    if (!read_.count(name)) out.push_back(name);
  }
  return out;
}

std::string Hparams::known_names() const {
  std::string out;
  for (const auto& name : read_) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace dt::trial
