// The best trial so far: its value, which it is, and its hyperparameters. GUI thread only.
#pragma once

#include "gui/data/trial_rows.h"
#include "gui/widgets/card.h"

class QGridLayout;
class QPushButton;

namespace dt::gui {

class BestCard : public Card {
  Q_OBJECT

 public:
  explicit BestCard(QWidget* parent = nullptr);

  // Null: there is none yet.
  void show_trial(const TrialRow* trial, const QString& metric, const HparamNames& names);

 Q_SIGNALS:
  void opened(std::int64_t trial_id);

 private:
  void show_hparams(const TrialRow& trial, const std::vector<QString>& names);

  QLabel* value_;
  FaintLabel* metric_;
  QPushButton* trial_;
  QWidget* hparams_;
  QGridLayout* grid_;
  std::int64_t trial_id_ = 0;
};

}  // namespace dt::gui
