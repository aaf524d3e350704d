#include "bench/search_player.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "formats/json.h"
#include "sim/search_session.h"

namespace dt::bench {

namespace {

core::HyperparameterSpace unit_space(int axes) {
  core::HyperparameterSpace space;
  for (int i = 0; i < axes; ++i) space[cat("x", i)] = {core::DoubleParameter{0, 1, {}}};
  return space;
}

core::SearcherConfig config_of(const std::string& name, const Problem& problem, int workers) {
  int rungs = 1;
  std::int64_t units = 1;
  for (; units * divisor < problem.steps(); units *= divisor) ++rungs;
  core::SearcherConfig config{.metric = "loss", .smaller_is_better = true};
  const int trials = problem.most_trials();
  if (name.ends_with("_tpe")) config.sampler = core::SamplerKind::tpe;
  if (name == "random") {
    config.method = core::RandomSearch{.max_trials = trials, .max_concurrent_trials = workers};
  } else if (name == "tpe") {
    config.method = core::TpeSearch{.max_trials = trials, .max_concurrent_trials = workers};
  } else if (name == "hyperband_tpe") {
    config.method = core::HyperbandSearch{.max_trials = trials,
                                          .divisor = divisor,
                                          .max_concurrent_trials = workers,
                                          .max_time = problem.steps()};
  } else {
    // As the peers have them: rungs at 1, 3, 9, … steps, below the end of the training.
    config.method = core::AsyncHalvingSearch{.num_rungs = rungs + 1,
                                             .max_trials = trials,
                                             .divisor = divisor,
                                             .max_concurrent_trials = workers,
                                             .max_time = units * divisor,
                                             .promote = name.starts_with("asha_promote")};
  }
  return config;
}

class OwnPlayer : public Player {
 public:
  explicit OwnPlayer(std::string name) : name_(std::move(name)) {}

  void begin(const Problem& problem, int workers, int seed) override {
    core::ExperimentConfig config;
    config.searcher = config_of(name_, problem, workers);
    config.hyperparameters = unit_space(problem.axes());
    session_.emplace(config, static_cast<std::uint32_t>(seed));
  }
  Value say(const Value& request) override { return session_->answer(request); }
  std::vector<Value> say_all(const std::vector<Value>& requests) override {
    std::vector<Value> answers;
    for (const Value& request : requests) answers.push_back(say(request));
    return answers;
  }

 private:
  std::string name_;
  std::optional<sim::SearchSession> session_;
};

class PeerPlayer : public Player {
 public:
  PeerPlayer(pid_t process, FILE* to, FILE* from) : process_(process), to_(to), from_(from) {}
  ~PeerPlayer() override {
    std::fclose(to_);  // the end of its input is the end of the peer
    std::fclose(from_);
    waitpid(process_, nullptr, 0);
  }

  void begin(const Problem& problem, int, int seed) override {
    (void)say(Value::Object{{"op", "begin"},
                            {"seed", seed},
                            {"axes", problem.axes()},
                            {"steps", problem.steps()},
                            {"divisor", divisor},
                            {"max_trials", problem.most_trials()}});
  }

  Value say(const Value& request) override {
    const std::string line = to_json(request) + "\n";
    std::fputs(line.c_str(), to_);
    std::fflush(to_);
    char answer[1 << 16];
    VERIFY(std::fgets(answer, sizeof answer, from_) != nullptr, "the peer ended at ", line);
    const auto value = parse_json(answer);
    VERIFY(value.ok(), "the peer said ", std::string(answer));
    return *value;
  }

  std::vector<Value> say_all(const std::vector<Value>& requests) override {
    return say(Value::Array(requests.begin(), requests.end())).as_array();
  }

 private:
  pid_t process_;
  FILE* to_;
  FILE* from_;
};

[[noreturn]] void become(const std::vector<std::string>& command, int in, int out) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  for (int file = 3; file < 64; ++file) close(file);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  _exit(127);
}

}  // namespace

std::unique_ptr<Player> own_player(const std::string& name) {
  return std::make_unique<OwnPlayer>(name);
}

Result<std::unique_ptr<Player>> peer_player(const std::vector<std::string>& command) {
  int to[2], from[2];
  if (pipe(to) != 0 || pipe(from) != 0) return unavailable("no pipe for ", command.front());
  const pid_t process = fork();
  if (process < 0) return unavailable("cannot start ", command.front());
  if (process == 0) become(command, to[0], from[1]);
  close(to[0]);
  close(from[1]);
  return std::unique_ptr<Player>(
      std::make_unique<PeerPlayer>(process, fdopen(to[1], "w"), fdopen(from[0], "r")));
}

}  // namespace dt::bench
