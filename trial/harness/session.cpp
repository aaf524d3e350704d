#include "trial/harness/session.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "base/cat.h"
#include "base/version.h"
#include "trial/harness/checkpoint.h"
#include "trial/harness/trainer.h"
#include "trial/rank/environment.h"
#include "trial/rank/options.h"
#include "trial/rank/reporter.h"

namespace dt::trial {
namespace {

// DESIGN §6.
constexpr int exit_failed = 1;
constexpr int exit_usage = 2;
constexpr int exit_preempted = 75;
constexpr int exit_invalid_hyperparameters = 78;

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

int complain(const RankEnvironment& environment, const std::string& message, int code) {
  std::fprintf(stderr, "dovetail: rank %d: %s\n", environment.rank, message.c_str());
  return code;
}

// What this program was built with, for who compares runs.
Value software() {
#ifdef __clang__
  constexpr const char* compiler = __VERSION__;
#else
  constexpr const char* compiler = "g++ " __VERSION__;
#endif
  return Value().set("libtorch", TORCH_VERSION).set("compiler", compiler).set("dovetail", version);
}

void use_threads(int threads) {
  at::set_num_threads(threads);
  at::set_num_interop_threads(1);
}

// An empty folder means a fresh start; one that is missing is a mistake.
Result<std::optional<Manifest>> find_resume(const std::string& folder) {
  if (folder.empty()) return std::optional<Manifest>();
  std::error_code error;
  if (std::filesystem::is_empty(folder, error) && !error) return std::optional<Manifest>();
  return std::optional<Manifest>(TRY(read_manifest(folder)));
}

Status check_flags(const RunOptions& options) {
  const auto unread = options.hparams.unread(options.hparam_flags);
  if (unread.empty()) return {};
  return invalid_argument("flag --", unread[0], " is neither the harness's nor a hyperparameter")
      .with_hint(cat("this trial reads: ", options.hparams.known_names(), "; see --help"));
}

const char* word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed: return "completed";
    case Outcome::stopped: return "stopped";
    case Outcome::preempted: return "preempted";
  }
  return "";
}

class Session {
 public:
  Session(const RankEnvironment& environment, const RunOptions& options, Reporter& reporter,
          const std::optional<Manifest>& resume)
      : options_(options),
        resume_(resume),
        state_{environment, options, reporter},
        communicator_(environment, std::chrono::seconds(options.gloo_timeout_s)) {}

  int run(const dovetail::MakeTrial& make_trial, const Normalisation& normalisation) {
    torch::manual_seed(static_cast<std::uint64_t>(options_.seed));
    dovetail::Context context(state_);
    const auto trial = make_trial(context);
    Trainer trainer(*trial, state_, communicator_, resume_, normalisation);
    if (const Status flags = check_flags(options_); !flags.ok()) throw UsageError(flags.text());
    const Outcome outcome = trainer.train();
    if (communicator_.rank() == 0) print_result(outcome, trainer, *state_.model);
    communicator_.meet();  // nobody takes the group down while others need it
    return outcome == Outcome::preempted ? exit_preempted : 0;
  }

 private:
  static void print_result(Outcome outcome, const Trainer& trainer,
                           const torch::nn::Module& model) {
    if (outcome == Outcome::completed) {
      std::printf("final loss=%s params_sha256=%s\n", cat(trainer.loss()).c_str(),
                  parameters_sha256(model).c_str());
    } else {
      std::printf("%s after step %s\n", word_of(outcome), cat(trainer.step()).c_str());
    }
    std::fflush(stdout);
  }

  const RunOptions& options_;
  const std::optional<Manifest>& resume_;
  dovetail::Context::State state_;
  Communicator communicator_;
};

// What torch says, and before it what it most likely means.
std::string explain(const std::string& what) {
  const auto says = [&](const char* text) { return what.find(text) != std::string::npos; };
  if (says("gloo") || says("Connection closed by peer") || says("Connection reset by peer")) {
    return "another rank is gone, or cannot be reached: " + what;
  }
  if (says("Expected to have finished reduction in the prior iteration")) {
    return "some parameters took no part in the loss; call context.allow_unused_parameters(): " +
           what;
  }
  return what;
}

struct Ending {
  int code = 0;
  std::string failure;  // why; empty when there is none
};

// Exceptions end here.
Ending guarded_run(const RankEnvironment& environment, const RunOptions& options,
                   Reporter& reporter, const std::optional<Manifest>& resume,
                   const dovetail::MakeTrial& make_trial, const Normalisation& normalisation) {
  Session* session = nullptr;  // kept when broken: a dead process group may hang in its destructor
  try {
    session = new Session(environment, options, reporter, resume);
    const int code = session->run(make_trial, normalisation);
    delete session;
    return {code, ""};
  } catch (const dovetail::InvalidHyperparameters& error) {
    return {exit_invalid_hyperparameters, cat("invalid hyperparameters: ", error.what())};
  } catch (const UsageError& error) {
    return {exit_usage, error.what()};
  } catch (const c10::Error& error) {
    return {exit_failed, explain(error.what_without_backtrace())};
  } catch (const std::exception& error) {
    return {exit_failed, explain(error.what())};
  }
}

}  // namespace

int run_rank(int argc, char** argv, const dovetail::MakeTrial& make_trial,
             const dovetail::Defaults& defaults, const Normalisation& normalisation) {
  const auto environment = read_environment(process_variables());
  if (!environment.ok()) return complain({}, environment.status().text(), exit_usage);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto options = resolve_options(arguments, *environment, defaults);
  if (!options.ok()) return complain(*environment, options.status().text(), exit_usage);
  if (options->help) return std::printf("%s", usage(argv[0]).c_str()), 0;
  use_threads(environment->threads);

  const auto resume = find_resume(options->resume_from);
  if (!resume.ok()) return complain(*environment, resume.status().text(), exit_failed);
  const auto start_step = *resume ? std::optional((*resume)->step) : std::nullopt;
  auto reporter = Reporter::open(*environment, start_step, software());
  if (!reporter.ok()) return complain(*environment, reporter.status().text(), exit_failed);

  const Ending ending =
      guarded_run(*environment, *options, *reporter, *resume, make_trial, normalisation);
  if (!ending.failure.empty()) complain(*environment, ending.failure, ending.code);
  reporter->finish(ending.failure);
  if (ending.failure.empty()) return ending.code;
  std::fflush(nullptr);
  std::_Exit(ending.code);
}

}  // namespace dt::trial

namespace dovetail {

int run(int argc, char** argv, const MakeTrial& make_trial, const Defaults& defaults) {
  return dt::trial::run_rank(argc, argv, make_trial, defaults, dt::trial::Normalisation());
}

}  // namespace dovetail
