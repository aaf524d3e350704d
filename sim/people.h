// The people: they submit experiments of every kind, change their minds, ask for nonsense now and
// then, and repeat each request until it is answered. At the end they let everything run that they
// had paused. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/master/master.h"
#include "sim/program.h"

namespace dt::sim {

class World;

class People {
 public:
  explicit People(World& world) : world_(world) {}

  void begin();
  void calm_down();  // lets run what is paused
  bool has_answers() const { return unanswered_ == 0; }
  bool has_submitted_all() const;
  const Program& program(const std::string& experiment) const;
  const Program& program_of(const core::Assignment& assignment) const;
  void forget_agent(const AgentId& agent);

  enum class Ask { submit, verb, forget };
  struct Request {
    std::string id;
    Ask ask = Ask::submit;
    int job = 0;
    core::Verb verb = core::Verb::pause;
    ExperimentId experiment;  // of a verb
    AgentId agent;
    bool nonsense = false;  // must be refused
    bool answered = false;
    bool accepted = false;
  };
  const std::vector<Request>& requests() const { return requests_; }

 private:
  struct Kind {  // many jobs are of one kind
    Program program;
    Value config;
  };
  struct Job {
    int kind = 0;
    core::ParsedConfig config;
    bool paused = false;
    std::optional<int> fork_of;
    ExperimentId experiment;  // once it is submitted
  };

  Kind draw_kind(bool long_search);
  Value draw_resources();
  void add_job(int number, int kinds);
  void plan_verbs(int number, Duration when);
  void talk_nonsense();
  void submit(int number);
  void order(int number, core::Verb verb);
  void send(Request request);
  void ask(std::size_t request);
  void heard(std::size_t request, const Result<Value>& result);
  core::MasterEvent event_of(const Request& request, core::ReplyToken token) const;

  World& world_;
  std::vector<Kind> kinds_;
  std::vector<Job> jobs_;
  std::map<std::string, int> job_of_name_;
  std::vector<Request> requests_;
  int unanswered_ = 0;
  int submitted_ = 0;
};

}  // namespace dt::sim
