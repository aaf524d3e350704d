// What a configuration would search: its budget in words, rungs as bars, the first trials'
// hyperparameters. Or why that is not known. GUI thread only.
#pragma once

#include <QWidget>

#include "base/status.h"
#include "gui/data/search_words.h"

namespace dt::gui {

class FaintLabel;
class RungsView;

class SearchPreview : public QWidget {
  Q_OBJECT

 public:
  explicit SearchPreview(QWidget* parent = nullptr);

  void show_preview(const v1::PreviewSearchResponse& preview);
  void show_failure(const Status& failure);
  void show_words(const QString& words);  // "Fix the configuration to see its search."

 private:
  FaintLabel* words_;
  RungsView* rungs_;
  FaintLabel* first_;
};

}  // namespace dt::gui
