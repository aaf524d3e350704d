// The ranks' process group: collectives over Gloo, and the gradient all-reduce of c10d::Reducer. At
// size 1 there is no group, no socket and no reducer, and every call is the identity. This is the
// only place that knows c10d (libtorch.md: its constructors change with every version). Failures
// are torch's exceptions; after one the group is dead for good. Training thread only.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "trial/rank/environment.h"

namespace dt::trial {

class Communicator {
 public:
  Communicator(const RankEnvironment& environment, std::chrono::seconds timeout);
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Adds up over ranks, in place; the same bits on every rank.
  void sum(const torch::Tensor& tensor);
  // Where ranks may be far apart in time (a data set loaded, a checkpoint written): waits longer
  // than the group's timeout.
  void meet();
  // Every rank's text, in order of rank.
  std::vector<std::string> gather_text(const std::string& text);
  // All ranks' names together, sorted. A name holds no line break.
  std::vector<std::string> unite(const std::vector<std::string>& names);
  // Every rank's tensor, in order of rank; they have the same shape.
  std::vector<torch::Tensor> gather(const torch::Tensor& tensor);

  struct Group;
  Group* group() const { return group_.get(); }  // null at size 1

 private:
  int rank_;
  int size_;
  std::unique_ptr<Group> group_;
};

// Makes backward() add up gradients over ranks. The sum, not the mean: the caller divides by the
// weight of the whole global batch.
class GradientSum {
 public:
  // Checks that all ranks have the same parameters and gives them rank 0's values.
  GradientSum(torch::nn::Module& model, Communicator& communicator, bool may_leave_unused);
  ~GradientSum();

  // Around the forward pass of a step's last micro-batch; earlier ones only add up locally. With
  // `sync` false before_forward is still to be called.
  void before_forward(bool sync);
  void before_backward(const torch::Tensor& loss);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;  // null at size 1
};

}  // namespace dt::trial
