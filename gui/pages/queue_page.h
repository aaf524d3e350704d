// The queue: what holds slots, what waits, at which position and why.
#pragma once

#include <QWidget>

#include "dovetail/v1/job.pb.h"
#include "gui/data/master.h"
#include "gui/data/refresher.h"
#include "gui/models/jobs_model.h"

class QLabel;

namespace dt::gui {

class Content;
class FilterEdit;
class Session;
class TableView;

class QueuePage : public QWidget {
  Q_OBJECT

 public:
  explicit QueuePage(Session& session, QWidget* parent = nullptr);

 private:
  void ask();
  void take(const Result<v1::ListJobsResponse>& got);
  void show_summary();

  Session& session_;
  JobsModel model_;
  QLabel* summary_;
  TableView* table_;
  FilterEdit* filter_;
  Content* content_;
  Refresher refresher_;
  Call asking_;
};

}  // namespace dt::gui
