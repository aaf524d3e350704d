// Trials of one experiment as plain rows, with their hyperparameters one by one. Text is as it
// came. Any thread.
#pragma once

#include <QString>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/value.h"
#include "dovetail/v1/trial.pb.h"

namespace dt::gui {

struct TrialRow {
  std::int64_t id = 0;
  int number = 0;                                  // in the order the search made them
  QString state;                                   // as the API says
  std::vector<std::pair<QString, Value>> hparams;  // by name; nested ones as "optimizer.lr"
  std::optional<double> best;
  std::optional<double> latest;
  std::int64_t step = 0;
  int ranks = 0;
  bool is_stopped_early = false;
  std::int64_t created_ms = 0;
  std::int64_t ended_ms = 0;  // 0: not yet
  QString message;
  QString waiting_reason;                            // empty: it does not wait
  std::shared_ptr<const std::vector<double>> spark;  // the metric, few points; may be null
  bool operator==(const TrialRow&) const = default;

  const Value* hparam(const QString& name) const;
};

TrialRow row_of(const ::dovetail::v1::Trial& trial);  // without ranks

// Batches after which a trial has trained to the end, from the resolved configuration. The search
// stops a trial that has come so far as well, but not early.
std::optional<std::int64_t> most_batches(const std::string& config_json);
// "running", "waiting", "stopped early", "error": what people call its state.
QString trial_word(const TrialRow& trial);

// Which hyperparameters there are, those that the search varies first.
struct HparamNames {
  std::vector<QString> searched;
  std::vector<QString> constant;
  bool operator==(const HparamNames&) const = default;
};
// From the resolved configuration; keys that only trials have count as searched.
HparamNames hparam_names(const std::string& config_json, const std::vector<TrialRow>& trials);

QString value_text(const Value& value);  // for people: four digits; plain, one line

}  // namespace dt::gui
