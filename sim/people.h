// The people: they submit experiments, change their minds, and repeat each request until it is
// answered. At the end they let everything run that they had paused. One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/master/master.h"
#include "sim/rank.h"

namespace dt::sim {

class World;

class People {
 public:
  explicit People(World& world) : world_(world) {}

  void begin();
  void calm_down();  // lets run what is paused
  bool has_answers() const { return unanswered_ == 0; }
  bool has_submitted_all() const { return experiments_.size() == configs_.size(); }
  const Program& program(const std::string& experiment) const { return programs_.at(experiment); }

  struct Request {
    std::string id;
    int experiment = 0;              // of ours
    std::optional<core::Verb> verb;  // none: submit
    std::string answer;
  };
  const std::vector<Request>& requests() const { return requests_; }

 private:
  void submit(int number);
  void order(int number, core::Verb verb);
  void ask(std::size_t request);
  void heard(std::size_t request, const Result<Value>& result);
  core::MasterEvent event_of(const Request& request, core::ReplyToken token) const;

  World& world_;
  std::map<std::string, Program> programs_;
  std::vector<core::ParsedConfig> configs_;
  std::map<int, ExperimentId> experiments_;  // ours -> the master's
  std::vector<Request> requests_;
  int unanswered_ = 0;
};

}  // namespace dt::sim
