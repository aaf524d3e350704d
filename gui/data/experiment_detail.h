// One experiment, kept current: itself, its trials, how far its search is, and where it stands in the
// queue. Opening asks four times however many trials there are; after that only what Live says
// changed is asked for again, changed trials together in one request. Everything stays while the
// master is away. GUI thread only.
#pragma once

#include <QObject>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "dovetail/v1/experiment.pb.h"
#include "gui/data/live.h"
#include "gui/data/master.h"
#include "gui/data/refresher.h"
#include "gui/data/rows.h"
#include "gui/data/trial_rows.h"

namespace dt::gui {

class ExperimentDetail : public QObject {
  Q_OBJECT

 public:
  ExperimentDetail(Master& master, Live& live, std::int64_t id, QObject* parent = nullptr);

  std::int64_t id() const { return id_; }
  bool is_loaded() const { return row_.has_value(); }
  const std::optional<ExperimentRow>& row() const { return row_; }
  const std::string& config_json() const { return config_json_; }  // resolved
  const std::string& config_yaml() const { return config_yaml_; }  // as submitted
  const Status& problem() const { return problem_; }               // of the last answer

  bool has_trials() const { return has_trials_; }  // the list was answered
  const std::map<std::int64_t, TrialRow>& trials() const { return trials_; }
  const Status& trials_problem() const { return trials_problem_; }

  const std::optional<v1::GetSearchResponse>& search() const { return search_; }
  const Status& search_problem() const { return search_problem_; }
  const std::optional<JobRow>& job() const { return job_; }  // none: not in the queue, or unknown

  void reload();

 Q_SIGNALS:
  void experiment_changed();  // itself, or problem()
  void trials_changed(const std::vector<dt::gui::TrialRow>& changed);
  void search_changed();
  void job_changed();

 private:
  void take_changes(const Changes& changes);
  void ask_experiment();
  void ask_trials();
  void ask_page(const std::string& token);
  void ask_one(std::int64_t trial_id);
  void ask_search();
  void ask_job();
  void take_experiment(Result<v1::GetExperimentResponse> got);
  struct Page {
    std::vector<TrialRow> rows;
    std::string next;  // token of the next page; empty: this is the last
  };
  void take_page(Result<Page> got);
  void keep(std::vector<TrialRow> rows);
  void complete(TrialRow& row) const;  // with what the experiment says
  void complete_all();
  int ranks() const { return row_ ? row_->slots_per_trial : 0; }

  Master& master_;
  const std::int64_t id_;
  std::optional<ExperimentRow> row_;
  std::string config_json_;
  std::optional<std::int64_t> most_batches_;
  std::string config_yaml_;
  Status problem_;
  std::map<std::int64_t, TrialRow> trials_;
  bool has_trials_ = false;
  Status trials_problem_;
  bool wants_all_trials_ = true;
  std::set<std::int64_t> changed_trials_;
  std::optional<v1::GetSearchResponse> search_;
  Status search_problem_;
  std::optional<JobRow> job_;

  Refresher refresh_experiment_;
  Refresher refresh_trials_;
  Refresher refresh_search_;
  Refresher refresh_job_;
  Call asking_experiment_;
  Call asking_trials_;
  Call asking_search_;
  Call asking_job_;
};

}  // namespace dt::gui
