#include "trial/rank/options.h"

#include <algorithm>
#include <map>

#include "formats/json.h"

namespace dt::trial {
namespace {

struct Flag {
  const char* name;
  const char* value;
  const char* help;
};

constexpr Flag flags[] = {
    {"steps", "N", "optimizer steps to train"},
    {"batch", "N", "samples of one optimizer step, over all ranks and accumulation"},
    {"accumulate", "N", "micro-batches a rank adds up before one optimizer step"},
    {"seed", "N", "seed of weights, order of samples and random numbers"},
    {"validate-every", "N", "steps between validations (0: only at the end)"},
    {"checkpoint-every", "N", "steps between checkpoints (0: only at the end)"},
    {"report-every", "N", "steps between reports of training metrics"},
    {"validation-batch", "N", "samples of one validation batch"},
    {"checkpoint-dir", "DIR", "folder for checkpoints"},
    {"resume", "DIR", "checkpoint to go on from"},
    {"on-nonfinite", "MODE", "continue (default) or fail when the loss is NaN or infinite"},
    {"gloo-timeout", "SECONDS", "how long a rank waits for a silent peer"},
};

using Given = std::map<std::string, std::string>;

bool is_own_flag(const std::string& name) {
  return std::any_of(std::begin(flags), std::end(flags),
                     [&](const Flag& flag) { return flag.name == name; });
}

Result<Given> read_flags(const std::vector<std::string>& arguments) {
  Given given;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.rfind("--", 0) != 0 || argument.size() == 2) {
      return invalid_argument("argument '", argument, "' is not a flag")
          .with_hint("flags are --name VALUE or --name=VALUE; --help lists them");
    }
    const auto equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (name == "help") {
      given[name] = "";
    } else if (equals != std::string::npos) {
      given[name] = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      given[name] = arguments[++i];
    } else {
      return invalid_argument("flag --", name, " needs a value");
    }
  }
  return given;
}

// The whole number from the flag, else the first of the candidates that is one, else the fallback.
Result<std::int64_t> choose(const Given& given, const std::string& flag,
                            const std::vector<Value>& candidates, std::int64_t fallback,
                            std::int64_t minimum) {
  std::string source = "--" + flag;
  Value value = fallback;
  if (const auto found = given.find(flag); found != given.end()) {
    value = parse_json(found->second).value_or(Value(found->second));
  } else {
    for (const Value& candidate : candidates) {
      if (candidate.is_null()) continue;
      value = candidate;
      source = flag + " of hyperparameters or configuration";
      break;
    }
  }
  if (!value.is_int() || value.as_int() < minimum) {
    return invalid_argument(source, " is ", to_json(value), ", but must be an integer of at least ",
                            minimum);
  }
  return value.as_int();
}

Result<Period> choose_period(const Given& given, const std::string& flag, const Value& configured,
                             std::int64_t fallback) {
  Period period;
  if (given.count(flag)) {
    period.batches = TRY(choose(given, flag, {}, 0, 0));
    return period;
  }
  const auto count = [&](const char* unit) -> std::int64_t {
    return configured[unit].is_int() ? std::max<std::int64_t>(0, configured[unit].as_int()) : 0;
  };
  period = {count("batches"), count("records"), count("epochs")};
  if (period == Period{}) period.batches = fallback;
  return period;
}

Value length_of_search(const Value& searcher) {
  const Value& unit = searcher["time_metric"];
  if (unit.is_string() && unit.as_string() == "batches") return searcher["max_time"];
  return searcher["max_length"]["batches"];
}

Status take_lengths(const Given& given, const RankEnvironment& environment,
                    const dovetail::Defaults& defaults, RunOptions& out) {
  const Value& config = environment.config;
  const Hparams& hparams = out.hparams;
  out.steps =
      TRY(choose(given, "steps", {hparams.find("steps"), length_of_search(config["searcher"])},
                 defaults.steps, 1));
  out.batch = TRY(choose(given, "batch", {hparams.find("global_batch_size"), hparams.find("batch")},
                         defaults.batch, 1));
  out.accumulate =
      TRY(choose(given, "accumulate",
                 {hparams.find("accumulate"), config["optimizations"]["aggregation_frequency"]},
                 defaults.accumulate, 1));
  out.validation_batch = TRY(choose(given, "validation-batch", {}, defaults.validation_batch, 1));
  out.validation_period = TRY(choose_period(
      given, "validate-every", config["min_validation_period"], defaults.validate_every));
  out.checkpoint_period = TRY(choose_period(
      given, "checkpoint-every", config["min_checkpoint_period"], defaults.checkpoint_every));
  out.report_period =
      TRY(choose(given, "report-every", {config["scheduling_unit"]}, defaults.report_every, 1));
  const Value& initial = config["perform_initial_validation"];
  out.initial_validation = initial.is_bool() && initial.as_bool();
  return {};
}

void take_hparams(const Given& given, const RankEnvironment& environment, RunOptions& out) {
  out.hparams = Hparams(environment.hparams);
  for (const auto& [name, text] : given) {
    if (is_own_flag(name) || name == "help") continue;
    const auto parsed = parse_json(text);
    const bool is_scalar = parsed.ok() && !parsed->is_object() && !parsed->is_array();
    out.hparams.set(name, is_scalar ? *parsed : Value(text));
    out.hparam_flags.push_back(name);
  }
}

Status take_mode(const Given& given, const dovetail::Defaults& defaults, RunOptions& out) {
  out.fail_on_nonfinite = defaults.fail_on_nonfinite;
  const auto found = given.find("on-nonfinite");
  if (found == given.end()) return {};
  if (found->second != "continue" && found->second != "fail") {
    return invalid_argument("--on-nonfinite is '", found->second,
                            "', but must be continue or fail");
  }
  out.fail_on_nonfinite = found->second == "fail";
  return {};
}

}  // namespace

std::int64_t Period::steps(std::int64_t batch, std::int64_t windows_per_epoch) const {
  if (batches > 0) return batches;
  if (epochs > 0) return epochs * windows_per_epoch;
  return records > 0 ? std::max<std::int64_t>(1, records / batch) : 0;
}

Result<RunOptions> resolve_options(const std::vector<std::string>& arguments,
                                   const RankEnvironment& environment,
                                   const dovetail::Defaults& defaults) {
  const Given given = TRY(read_flags(arguments));
  RunOptions out;
  out.help = given.count("help") > 0;
  take_hparams(given, environment, out);
  TRY(take_lengths(given, environment, defaults, out));
  TRY(take_mode(given, defaults, out));
  const Value seed = environment.seed ? Value(*environment.seed) : Value();
  out.seed = TRY(choose(given, "seed", {seed}, defaults.seed, 0));
  out.gloo_timeout_s = TRY(choose(given, "gloo-timeout", {}, defaults.gloo_timeout_s, 1));
  const auto text = [&](const char* flag, const std::string& fallback) {
    const auto found = given.find(flag);
    return found == given.end() ? fallback : found->second;
  };
  out.checkpoint_dir = text("checkpoint-dir", environment.checkpoint_dir);
  out.resume_from = text("resume", environment.latest_checkpoint);
  return out;
}

std::string usage(const std::string& program) {
  std::string out = cat("usage: ", program, " [--flag VALUE …]\n");
  for (const Flag& flag : flags) {
    std::string left = cat("  --", flag.name, " ", flag.value);
    left.resize(std::max<std::size_t>(left.size() + 2, 28), ' ');
    out += left + flag.help + "\n";
  }
  return out + "  --NAME VALUE              sets hyperparameter NAME\n";
}

}  // namespace dt::trial
