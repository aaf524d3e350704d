#include "cli/follow.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "cli/read.h"
#include "cli/status_line.h"
#include "dovetail/v1/watch.grpc.pb.h"
#include "formats/json.h"

namespace dt::cli {
namespace {

namespace v1 = ::dovetail::v1;

using Clock = std::chrono::steady_clock;
constexpr auto look_at_most_every = std::chrono::milliseconds(500);
constexpr auto reconnect_after = std::chrono::seconds(1);

Exit exit_of_state(const std::string& state) {
  if (state == "COMPLETED") return Exit::ok;
  return state == "CANCELED" ? Exit::canceled : Exit::failed;
}

// The master is away, or its database answers too slowly.
bool is_passing(Code code) {
  return code == Code::unavailable || code == Code::cancelled || code == Code::deadline_exceeded;
}

std::string describe_end(const v1::Trial& trial) {
  std::string text = trial.stopped_by_searcher()    ? "was stopped by the search"
                     : trial.state() == "COMPLETED" ? "is complete"
                                                    : cat("ended: ", trial.state());
  if (!trial.message().empty()) text += cat(" (", safe_text(trial.message()), ")");
  return text;
}

class Follower {
 public:
  Follower(const client::Client& client, std::int64_t id, Narration narration)
      : client_(client), id_(id), narration_(narration) {}

  Result<Exit> run() {
    for (;;) {
      const Status status = watch();
      if (is_over(experiment_.state())) break;
      if (!status.ok() && !is_passing(status.code())) return status;
      if (!lost_) say("lost the master; waiting for it");
      lost_ = true;
      std::this_thread::sleep_for(reconnect_after);  // nobody can tell us that it is back
    }
    line_.clear();
    if (narration_ == Narration::lines) {
      std::fputs(trial_table(experiment_, trials_).c_str(), stdout);
      if (!experiment_.message().empty()) print(safe_text(experiment_.message()));
      print(best_line(experiment_, trials_));
    }
    return exit_of_state(experiment_.state());
  }

 private:
  // Until the experiment is over or the stream breaks.
  Status watch() {
    const auto stub = client_.stub<v1::Watch>();
    grpc::ClientContext context;
    client_.prepare(context);
    v1::WatchRequest request;
    request.set_experiment_id(id_);
    for (const char* kind : {"experiment", "trial"}) request.add_kinds(kind);
    const auto reader = stub->Watch(&context, request);
    v1::WatchEvent event;
    // The stream begins with a heartbeat, so nothing that changes after this look is missed.
    while (reader->Read(&event)) {
      if (lost_) say("the master is back");
      lost_ = false;
      const Status status = look(event);
      if (!status.ok() || is_over(experiment_.state())) {
        context.TryCancel();
        while (reader->Read(&event)) {
        }
        reader->Finish();
        return status;
      }
    }
    return from_grpc(reader->Finish());
  }

  Status look(const v1::WatchEvent& event) {
    const bool is_experiment = event.has_change() && event.change().kind() == "experiment";
    const auto now = Clock::now();
    // Changes come in bursts; an experiment's own may be its end, so it is looked at at once.
    if (!is_experiment && event.has_change() && now - last_look_ < look_at_most_every) return {};
    last_look_ = now;
    experiment_ = TRY(get_experiment(client_, id_));
    trials_ = TRY(list_trials(client_, id_));
    if (narration_ == Narration::lines) narrate();
    if (narration_ == Narration::lines) show_progress();
    return {};
  }

  void show_progress() {
    const auto is_trial_over = [](const v1::Trial& trial) { return is_over(trial.state()); };
    const auto over = std::count_if(trials_.begin(), trials_.end(), is_trial_over);
    std::string words = cat(over, "/", trials_.size(), " trials");
    if (experiment_.has_best_metric()) {
      words += cat("  best ", experiment_.metric(), "=", number(experiment_.best_metric()));
    }
    line_.show(experiment_.progress(), words);
  }

  void narrate() {
    for (const v1::Trial& trial : trials_) {
      v1::Trial& before = told_[trial.id()];
      if (before.id() == 0) {
        say(cat("trial ", trial.id(), "  ", short_hparams(trial.hparams_json())));
      }
      if (trial.attempts() > before.attempts() && trial.attempts() > 1) {
        say(cat("trial ", trial.id(), " starts again: attempt ", trial.attempts()));
      }
      if (trial.latest_step() != before.latest_step() && trial.has_latest_metric()) {
        say(cat("trial ", trial.id(), " step ", trial.latest_step(), "  ", experiment_.metric(),
                "=", number(trial.latest_metric())));
      }
      if (is_over(trial.state()) && !is_over(before.state())) {
        say(cat("trial ", trial.id(), " ", describe_end(trial)));
      }
      if (!trial.waiting_reason().empty() && trial.waiting_reason() != before.waiting_reason()) {
        say(cat("trial ", trial.id(), " waits: ", safe_text(trial.waiting_reason())));
      }
      before = trial;
    }
    if (experiment_.state() != told_state_)
      say(cat("experiment ", id_, " is ", experiment_.state()));
    told_state_ = experiment_.state();
  }

  void say(const std::string& text) {
    if (narration_ == Narration::quiet) return;
    const auto passed =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began_).count();
    const int percent = static_cast<int>(experiment_.progress() * 100);
    line_.print_above(
        cat("[", duration(passed), "] ", percent < 100 ? " " : "", percent, "%  ", text));
  }

  const client::Client& client_;
  const std::int64_t id_;
  const Narration narration_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point last_look_;
  bool lost_ = false;
  StatusLine line_;
  v1::Experiment experiment_;
  std::vector<v1::Trial> trials_;
  std::map<std::int64_t, v1::Trial> told_;
  std::string told_state_;
};

}  // namespace

Result<Exit> follow_experiment(const client::Client& client, std::int64_t id, Narration narration) {
  return Follower(client, id, narration).run();
}

Value searcher_of(const v1::Experiment& experiment) {
  return parse_json(experiment.config_json()).value_or(Value())["searcher"];
}

// The search stops a trial at its last rung too; that one has trained to the end.
std::string shown_state(const v1::Trial& trial, const Value& searcher) {
  const bool is_in_batches = searcher["time_metric"] == Value("batches");
  const Value& most = searcher["max_time"];
  const bool is_complete = is_in_batches && most.is_int() && trial.latest_step() >= most.as_int();
  return trial.stopped_by_searcher() && !is_complete ? "STOPPED EARLY" : trial.state();
}

std::string trial_table(const v1::Experiment& experiment, const std::vector<v1::Trial>& trials) {
  const std::string metric = experiment.metric().empty() ? "METRIC" : experiment.metric();
  Table table({"TRIAL", "STATE", "STEP", cut(safe_text(metric), 30), "BEST", "ATTEMPTS", "TIME",
               "HPARAMS"});
  const Value searcher = searcher_of(experiment);
  for (const v1::Trial& trial : trials) {
    table.add({std::to_string(trial.id()), shown_state(trial, searcher),
               std::to_string(trial.latest_step()),
               trial.has_latest_metric() ? number(trial.latest_metric()) : "-",
               trial.has_best_metric() ? number(trial.best_metric()) : "-",
               std::to_string(trial.attempts()),
               trial.ended_ms() > 0 ? duration(trial.ended_ms() - trial.created_ms()) : "-",
               cut(short_hparams(trial.hparams_json()), 80)});
  }
  return table.text();
}

std::string best_line(const v1::Experiment& experiment, const std::vector<v1::Trial>& trials) {
  for (const v1::Trial& trial : trials) {
    if (trial.id() != experiment.best_trial_id() || !experiment.has_best_metric()) continue;
    return cat("best trial ", trial.id(), " ", safe_text(experiment.metric()), "=",
               number(experiment.best_metric()), " at step ", trial.best_step(), "  ",
               short_hparams(trial.hparams_json()));
  }
  return cat("no best trial: no trial reported a finite \"", safe_text(experiment.metric()), "\"");
}

}  // namespace dt::cli
