#include "gui/data/trial_rows.h"

#include <algorithm>
#include <set>

#include "formats/json.h"
#include "gui/data/format.h"

namespace dt::gui {
namespace {

using namespace Qt::StringLiterals;

using Hparams = std::vector<std::pair<QString, Value>>;

void flatten(const Value& value, const QString& name, Hparams& flat) {
  if (!value.is_object() || (value.as_object().empty() && !name.isEmpty())) {
    if (!name.isEmpty()) flat.emplace_back(name, value);
    return;
  }
  for (const auto& [key, member] : value.as_object()) {
    const QString part = QString::fromStdString(key);
    flatten(member, name.isEmpty() ? part : name + u'.' + part, flat);
  }
}

bool is_constant(const Value& spec) {
  if (!spec.is_object()) return true;
  const Value* type = spec.find("type");
  return type != nullptr && *type == Value("const");
}

bool is_spec(const Value& spec) {
  const Value* type = spec.find("type");
  return type != nullptr && type->is_string();
}

// What the configuration says of each name: nested maps without a type are names on the way.
void collect_specs(const Value& value, const QString& name, std::set<QString>& constants) {
  if (value.is_object() && !is_spec(value)) {
    for (const auto& [key, member] : value.as_object()) {
      const QString part = QString::fromStdString(key);
      collect_specs(member, name.isEmpty() ? part : name + u'.' + part, constants);
    }
  } else if (is_constant(value)) {
    constants.insert(name);
  }
}

}  // namespace

const Value* TrialRow::hparam(const QString& name) const {
  const auto it =
      std::lower_bound(hparams.begin(), hparams.end(), name,
                       [](const auto& each, const QString& key) { return each.first < key; });
  return it != hparams.end() && it->first == name ? &it->second : nullptr;
}

std::optional<std::int64_t> most_batches(const std::string& config_json) {
  const Value config = parse_json(config_json).value_or(Value());
  const Value& searcher = config["searcher"];
  const bool is_in_batches = searcher["time_metric"] == Value("batches");
  const Value& most = searcher["max_time"];
  return is_in_batches && most.is_int() ? std::optional(most.as_int()) : std::nullopt;
}

TrialRow row_of(const ::dovetail::v1::Trial& trial) {
  TrialRow row{.id = trial.id(),
               .number = trial.number(),
               .state = QString::fromStdString(trial.state()),
               .step = trial.latest_step(),
               .is_stopped_early = trial.stopped_by_searcher(),
               .created_ms = trial.created_ms(),
               .ended_ms = trial.ended_ms(),
               .message = QString::fromStdString(trial.message()),
               .waiting_reason = QString::fromStdString(trial.waiting_reason())};
  if (trial.has_best_metric()) row.best = trial.best_metric();
  if (trial.has_latest_metric()) row.latest = trial.latest_metric();
  flatten(parse_json(trial.hparams_json()).value_or(Value()), {}, row.hparams);
  std::sort(row.hparams.begin(), row.hparams.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return row;
}

QString trial_word(const TrialRow& trial) {
  const QString word = state_word(trial.state);
  if (word == u"active"_s) return trial.waiting_reason.isEmpty() ? u"running"_s : u"waiting"_s;
  if (word == u"completed"_s && trial.is_stopped_early) return u"stopped early"_s;
  return word;
}

HparamNames hparam_names(const std::string& config_json, const std::vector<TrialRow>& trials) {
  const Value config = parse_json(config_json).value_or(Value());
  std::set<QString> constants;
  collect_specs(config["hyperparameters"], {}, constants);
  std::set<QString> all;
  for (const TrialRow& trial : trials) {
    for (const auto& [name, value] : trial.hparams) all.insert(name);
  }
  HparamNames names;
  for (const QString& name : all) {
    (constants.contains(name) ? names.constant : names.searched).push_back(name);
  }
  return names;
}

QString value_text(const Value& value) {
  if (value.is_int()) return integer(value.as_int());
  if (value.is_double()) return number(value.as_double());
  if (value.is_string()) return one_line(QString::fromStdString(value.as_string()));
  return one_line(QString::fromStdString(to_json(value)));
}

}  // namespace dt::gui
