#include "trial/harness/session.h"

#include <ATen/Parallel.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>

#include "base/cat.h"
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

int complain(const RankEnvironment& environment, const std::string& message, int code) {
  std::fprintf(stderr, "dovetail: rank %d: %s\n", environment.rank, message.c_str());
  return code;
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

void print_result(const Trainer& trainer, const Communicator& communicator,
                  const torch::nn::Module& model) {
  if (communicator.rank() != 0) return;
  std::printf("final loss=%s params_sha256=%s\n", cat(trainer.loss()).c_str(),
              parameters_sha256(model).c_str());
  std::fflush(stdout);
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
    const Status flags = check_flags(options_);
    if (!flags.ok()) return complain(state_.environment, flags.text(), exit_usage);
    const Outcome outcome = trainer.train();
    if (outcome == Outcome::completed) print_result(trainer, communicator_, *state_.model);
    communicator_.meet();  // nobody takes the group down while others need it
    reason_ = outcome == Outcome::completed ? "completed"
              : outcome == Outcome::stopped ? "stopped"
                                            : "preempted";
    return outcome == Outcome::preempted ? exit_preempted : 0;
  }

  const char* reason() const { return reason_; }

 private:
  const RunOptions& options_;
  const std::optional<Manifest>& resume_;
  dovetail::Context::State state_;
  Communicator communicator_;
  const char* reason_ = "failed";
};

// The exit code, and in `reason` the word for the platform. Exceptions end here.
int guarded_run(const RankEnvironment& environment, const RunOptions& options, Reporter& reporter,
                const std::optional<Manifest>& resume, const dovetail::MakeTrial& make_trial,
                const Normalisation& normalisation, std::string& reason) {
  reason = "failed";
  Session* session = nullptr;  // kept when broken: a dead process group hangs in its destructor
  try {
    session = new Session(environment, options, reporter, resume);
    const int code = session->run(make_trial, normalisation);
    reason = session->reason();
    delete session;
    return code;
  } catch (const dovetail::InvalidHyperparameters& error) {
    reason = "invalid_hyperparameters";
    return complain(environment, cat("invalid hyperparameters: ", error.what()),
                    exit_invalid_hyperparameters);
  } catch (const c10::Error& error) {
    return complain(environment, error.what_without_backtrace(), exit_failed);
  } catch (const std::exception& error) {
    return complain(environment, error.what(), exit_failed);
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
  auto reporter = Reporter::open(*environment, start_step);
  if (!reporter.ok()) return complain(*environment, reporter.status().text(), exit_failed);

  std::string reason;
  const int code =
      guarded_run(*environment, *options, *reporter, *resume, make_trial, normalisation, reason);
  reporter->finish(reason);
  if (code == 0 || code == exit_preempted) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace dt::trial

namespace dovetail {

int run(int argc, char** argv, const MakeTrial& make_trial, const Defaults& defaults) {
  return dt::trial::run_rank(argc, argv, make_trial, defaults, dt::trial::Normalisation());
}

}  // namespace dovetail
