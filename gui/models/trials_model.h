// The trials of an experiment as a table: every hyperparameter is a column of its own. GUI thread
// only.
#pragma once

#include <functional>

#include "gui/data/run_colors.h"
#include "gui/data/trial_rows.h"
#include "gui/models/rows_model.h"

namespace dt::gui {

// The metric so far as QList<double>, for a line as small as a word.
inline constexpr int spark_role = Qt::UserRole + 100;
// Whether the trial's curve is shown beside the table: bool.
inline constexpr int shown_role = Qt::UserRole + 101;

class TrialsModel : public RowsModel<TrialRow> {
  Q_OBJECT

 public:
  using Clock = std::function<std::int64_t()>;  // Unix ms

  TrialsModel(RunColors& colors, Clock clock, QObject* parent = nullptr);

  // What the experiment is about; a change of columns resets the model.
  void set_experiment(const QString& metric, bool smaller_is_better, const HparamNames& names);
  void set_best(std::int64_t trial_id);
  // Trials whose curve is hidden show an empty swatch.
  void set_hidden(std::vector<std::int64_t> trial_ids);

 protected:
  std::int64_t key(const TrialRow& row) const override { return row.id; }
  QVariant cell(const TrialRow& row, int column, int role) const override;

 private:
  enum Fixed { trial, state, best, latest, step, ranks, time, curve, hparam };
  struct Meaning {
    Fixed what = hparam;
    QString name;  // of a hyperparameter
  };

  QString text(const TrialRow& row, const Meaning& column) const;
  QVariant order(const TrialRow& row, const Meaning& column) const;
  QString tip(const TrialRow& row, const Meaning& column) const;
  QVariant swatch(const TrialRow& row) const;
  bool is_hidden(std::int64_t trial_id) const;
  void repaint_first_column();
  std::int64_t run_ms(const TrialRow& row) const;

  RunColors& colors_;
  Clock now_;
  QString metric_;
  bool smaller_is_better_ = true;
  std::int64_t best_trial_ = 0;
  std::vector<std::int64_t> hidden_;  // sorted
  std::vector<Meaning> meanings_;     // by column
};

}  // namespace dt::gui
