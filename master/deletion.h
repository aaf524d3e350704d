// Removes what nobody keeps: all that belonged to a deleted experiment, and of an ended one the
// checkpoints that its policy does not keep. Files go that no other checkpoint names, rows go piece
// by piece; what the rows say is the loop's. An interrupted removal goes on after a restart. Its
// own thread works; wake() may be called from any.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "master/blobs.h"
#include "master/loop.h"
#include "master/store/store.h"

namespace dt::master {

class Deletion {
 public:
  Deletion(Loop& loop, Store& store, const Blobs& checkpoints);

  void wake();  // something is to be deleted, or an experiment has ended

 private:
  void run(const std::stop_token& stop);
  bool delete_all(const std::stop_token& stop);
  Status delete_one(ExperimentId experiment, const std::stop_token& stop);
  Status remove_files(const std::set<std::string>& files, ExperimentId but);
  bool tidy_all(const std::stop_token& stop);
  Status tidy_one(ExperimentId experiment);

  Loop& loop_;
  Store& store_;
  const Blobs& checkpoints_;
  std::mutex mutex_;
  std::condition_variable_any woken_;
  bool wanted_ = true;  // guarded by mutex_; true: what an earlier master left
  std::jthread thread_;
};

}  // namespace dt::master
