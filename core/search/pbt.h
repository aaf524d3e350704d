// Population based training: Jaderberg et al., “Population Based Training of Neural Networks”
// (2017), asynchronous, with truncation selection. Every member of the population trains to
// max_time; each `interval` it is compared with the last values of the others. One of the worst
// truncate_fraction is stopped, and a new trial takes its place: it starts from the checkpoint of
// one of the best, with that one's hyperparameters resampled or moved a little. Nobody is replaced
// before more than half of the population has a value. The new trial names its parent, so the
// lineage of a schedule of hyperparameters is kept.
//
// A crash counts as the worst value and is replaced by such a copy, as often as the population is
// large; a trial with invalid hyperparameters is replaced by a new sample. One that ends by itself
// keeps its value.
#pragma once

#include <optional>
#include <vector>

#include "core/search/method.h"
#include "core/search/sampler.h"

namespace dt::core {

class PbtMethod : public SearchMethod {
 public:
  PbtMethod(const PbtSearch& search, bool smaller_is_better, const HyperparameterSpace& space,
            std::uint32_t seed);

  SearchOperations initial_trials() override;
  SearchOperations validation_completed(const ValidationReport& report) override;
  SearchOperations trial_exited_early(SearchTrial trial, ExitReason reason) override;
  SearchOperations trial_exited(SearchTrial trial) override;
  double progress(double trials_done) const override;
  std::int64_t trials_wanted() const override { return search_.population_size; }
  Value snapshot() const override;
  Status restore(const Value& snapshot) override;

 private:
  struct Member {  // of the population: its present trial
    SearchTrial trial = 0;
    Value hparams;
    bool open = true;
    std::int64_t time = 0;         // of the last report
    std::int64_t next = 0;         // when it is compared
    std::optional<double> metric;  // of the last comparison; none yet: nobody copies it
  };

  Member* find(SearchTrial trial);
  CreateTrial fill(std::size_t place, CreateTrial create, std::int64_t time);
  std::optional<std::size_t> better_one(std::size_t place, std::size_t known_at_least);
  std::optional<CreateTrial> copy_into(std::size_t place, std::size_t known_at_least);
  std::vector<std::size_t> ranked() const;
  Value explore(const HyperparameterSpace& space, const Value& from);
  Value explore(const Hyperparameter& parameter, const Value& from);
  static Result<Member> member_of(const Value& snapshot, int trials);

  PbtSearch search_;
  bool smaller_is_better_;
  HyperparameterSpace space_;
  TrialMaker maker_;
  std::vector<Member> population_;
  int crashes_ = 0;
};

}  // namespace dt::core
